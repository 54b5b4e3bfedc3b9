// Draws a cycle of Hybla, ACK by ACK (longfat.book.cycle): the window over the whole cycle above, and
// below it what is under way between both ends around the moment that the slider is at.

const longfatCycle = (data) => {
  const NS = "http://www.w3.org/2000/svg";
  const make = (parent, tag, attributes = {}, text = "") => {
    const svg = parent.namespaceURI === NS || tag === "svg";
    const made = svg ? document.createElementNS(NS, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      made.setAttribute(name, value);
    }
    made.textContent = text;
    parent.append(made);
    return made;
  };
  const half = data.rtt / 2;

  // What an ACK does, in words.
  const worded = (place) => {
    const [number, time, window, phase] = data.heard[place];
    const out = data.sent.filter((segment) => segment[4] === place);
    const again = out.filter((segment) => segment[3]);
    const fresh = out.filter((segment) => !segment[3]).map((segment) => segment[0]);
    const parts = [];
    if (again.length) {
      parts.push(`segment ${again[0][0]} again`);
    }
    if (fresh.length) {
      parts.push(fresh.length === 1 ? `segment ${fresh[0]}` : `segments ${fresh.join(" and ")}`);
    }
    const released = parts.length ? `It releases ${parts.join(" and ")}.` : "It releases nothing.";
    return (
      `${time.toFixed(2)} s, ${data.phases[phase]}: the ACK of segment ${number} comes, ` +
      `the window is ${window.toFixed(1)}. ${released}`
    );
  };

  const build = (container) => {
    const overview = make(container, "svg", { role: "img", class: "cycle-window" });
    const id = `cycle-time-${Math.random().toString(36).slice(2)}`;
    const label = make(container, "label", { for: id }, "ACK by ACK");
    const slider = make(container, "input", {
      id,
      type: "range",
      min: 0,
      max: data.heard.length - 1,
      value: data.start,
    });
    const output = make(container, "output", { for: id });
    const ladder = make(container, "svg", { role: "img", class: "cycle-ladder" });
    label.setAttribute("style", "margin-top: 0.4em");
    const end = data.heard[data.heard.length - 1][1];
    const begin = data.heard[0][1];

    const drawWindow = (width, now) => {
      const [left, right, top, bottom, height] = [34, 8, 26, 34, 150];
      const x = (time) => left + ((width - left - right) * (time - begin)) / (end - begin);
      const y = (value) => height - bottom - ((height - top - bottom) * value) / data.limit;
      overview.replaceChildren();
      overview.setAttribute("viewBox", `0 0 ${width} ${height}`);
      overview.setAttribute("aria-label", "The window over a cycle");
      let since = 0;
      data.heard.forEach(([, time, , phase], place) => {
        const last = place === data.heard.length - 1;
        if (!last && data.heard[place + 1][3] === phase) {
          return;
        }
        const until = last ? end : data.heard[place + 1][1];
        make(overview, "rect", {
          class: `phase phase-${phase}`,
          x: x(data.heard[since][1]),
          y: top,
          width: Math.max(0, x(until) - x(data.heard[since][1])),
          height: height - top - bottom,
        });
        since = place + 1;
      });
      for (const mark of [0, data.limit / 2, data.limit]) {
        make(overview, "text", { x: left - 5, y: y(mark) + 4, "text-anchor": "end" }, `${mark}`);
      }
      let d = "";
      data.heard.forEach(([, time, window], place) => {
        d += place ? `H${x(time).toFixed(1)}V${y(window).toFixed(1)}` : `M${x(time)} ${y(window)}`;
      });
      make(overview, "path", { class: "curve", style: "stroke: var(--line-0)", d });
      make(overview, "path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` });
      make(overview, "text", { x: left, y: 14 }, "window (segments)");
      const middle = { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" };
      make(overview, "text", middle, "time (s)");
      for (let mark = Math.ceil(begin * 2) / 2; mark <= end; mark += 0.5) {
        const at = { x: x(mark), y: height - bottom + 15, "text-anchor": "middle" };
        make(overview, "text", at, mark.toFixed(1));
      }
      make(overview, "path", { class: "now", d: `M${x(now)} ${top - 6}V${height - bottom + 4}` });
      const name = data.phases[data.heard[slider.valueAsNumber][3]];
      make(overview, "text", { x: width - right, y: 14, "text-anchor": "end", class: "name" }, name);
      overview.scrubbed = (px) => begin + ((px - left) / (width - left - right)) * (end - begin);
    };

    const drawLadder = (width, now, place) => {
      const [left, right, top, height] = [64, 70, 26, 360];
      const [from, until] = [now - 1.15 * data.rtt, now + 0.6 * data.rtt];
      const y = (time) => top + ((height - top - 8) * (time - from)) / (until - from);
      const [sender, receiver] = [left, width - right];
      ladder.replaceChildren();
      ladder.setAttribute("viewBox", `0 0 ${width} ${height}`);
      ladder.setAttribute("aria-label", "Segments and ACKs between the sender and the receiver");
      const clip = `${id}-clip`;
      const frame = make(make(ladder, "defs"), "clipPath", { id: clip });
      make(frame, "rect", { x: 0, y: top, width, height: height - top });
      const all = make(ladder, "g", { "clip-path": `url(#${clip})` });
      const clock = data.heard[place][0];
      for (const [number, time, lost, again, by] of data.sent) {
        if (time > now + 1e-9 || time + data.rtt < from) {
          continue; // not yet sent, or heard of long ago
        }
        const newly = by === place;
        const kind = lost ? "lost" : again ? "again" : "data";
        const part = lost ? 0.55 : 1;
        const [x1, y1] = [sender + part * (receiver - sender), y(time + part * half)];
        const classes = `segment ${kind}${newly ? " released" : ""}`;
        make(all, "path", { class: classes, d: `M${sender} ${y(time)}L${x1} ${y1}` });
        if (lost) {
          make(all, "path", { class: "cross", d: `M${x1 - 5} ${y1 - 5}l10 10m-10 0l10 -10` });
          make(all, "text", { x: x1 + 9, y: y1 + 4, class: "lost" }, `${number} is lost`);
          continue;
        }
        const mine = number === clock && Math.abs(time + data.rtt - data.heard[place][1]) < 1e-5;
        make(all, "path", {
          class: `ack${mine ? " released" : ""}`,
          d: `M${receiver} ${y(time + half)}L${sender} ${y(time + data.rtt)}`,
        });
        if (mine) {
          make(ladder, "text", { x: sender - 5, y: y(now) - 4, "text-anchor": "end" }, "ACK of");
          make(ladder, "text", { x: sender - 5, y: y(now) + 10, "text-anchor": "end" }, `${number}`);
        }
      }
      const out = data.sent.filter((segment) => segment[4] === place);
      const names = out.map(([number, , , again]) => (again ? `${number} again` : `${number}`));
      make(all, "text", { x: sender + 8, y: y(now) + 20 }, names.join(", "));
      make(ladder, "path", { class: "axis", d: `M${sender} ${top}V${height}M${receiver} ${top}V${height}` });
      make(ladder, "path", { class: "now", d: `M${sender} ${y(now)}H${receiver}` });
      make(ladder, "text", { x: sender, y: 16, "text-anchor": "middle" }, "sender");
      make(ladder, "text", { x: receiver, y: 16, "text-anchor": "middle" }, "receiver");
      make(ladder, "text", { x: receiver + 6, y: y(now) + 4 }, `${now.toFixed(2)} s`);
    };

    const draw = () => {
      const place = slider.valueAsNumber;
      const now = data.heard[place][1];
      const width = Math.max(280, container.clientWidth - 32);
      output.textContent = worded(place);
      slider.setAttribute("aria-valuetext", output.textContent);
      drawWindow(width, now);
      drawLadder(width, now, place);
    };
    const scrub = (event) => {
      const box = overview.getBoundingClientRect();
      const px = ((event.clientX - box.left) / box.width) * overview.viewBox.baseVal.width;
      const time = overview.scrubbed(px);
      const later = data.heard.findIndex((ack) => ack[1] >= time);
      slider.value = later < 0 ? data.heard.length - 1 : later;
      draw();
    };
    overview.addEventListener("pointerdown", (event) => {
      overview.setPointerCapture(event.pointerId);
      scrub(event);
    });
    overview.addEventListener("pointermove", (event) => {
      if (event.buttons) {
        scrub(event);
      }
    });
    slider.addEventListener("input", draw);
    draw();
    let width = container.clientWidth;
    new ResizeObserver(() => {
      if (container.clientWidth !== width) {
        width = container.clientWidth;
        draw();
      }
    }).observe(container);
    container.worded = worded; // for the tests
  };

  for (const container of document.querySelectorAll(`[data-cycle="${data.name}"]`)) {
    if (!container.querySelector("svg")) {
      build(container);
    }
  }
};
