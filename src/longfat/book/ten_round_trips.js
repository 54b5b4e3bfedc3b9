// The first ten round trips of a transfer, packet by packet (longfat.book.ten_round_trips): a run by
// the engine in the page, of which each packet is told by what two links have sent and what waits.

const longfatRounds = (settings) => {
  const make = (parent, tag, attributes = {}, text = "") => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = text;
    parent.append(made);
    return made;
  };
  const count = (number) => Math.round(number).toLocaleString("en");

  // The scenario of longfat.studies.ten_round_trips, with the reader's choices.
  const scenarioOf = ({ start, rate, rtt, queue }) => {
    const scenario = structuredClone(settings.scenario);
    const rttS = rtt / 1000;
    const holds = Math.round((rate * 1e6 * rttS) / 8);
    for (const link of scenario.links.slice(2)) {
      Object.assign(link, { rate_bps: rate * 1e6, delay_s: rttS / 2, queue_packets: queue });
    }
    const [flow] = scenario.flows;
    flow.start_up = { kind: start };
    if (start === settings.remembered) {
      Object.assign(flow.start_up, { saved_cwnd_bytes: holds, saved_rtt_s: rttS });
    }
    flow.receive_buffer_bytes =
      2 * Math.round((rate * 1e6 * rttS) / 8 + queue * settings.segmentBytes);
    scenario.duration_s = Number(((settings.rounds + 1.4) * rttS).toFixed(9));
    return scenario;
  };

  // Each packet's [when it was sent, when the narrow link has sent it]: NaN where the queue had no
  // room, Infinity where it was still to come at the end.
  const packetsOf = ({ answer, numbers }, scenario) => {
    // Times in whole nanoseconds, as the engine counts them: many an interval begins with a packet.
    const step = (1e-9 * Math.round(scenario.duration_s * 1e9)) / scenario.record.points;
    const link = (place) => {
      const { source, target } = scenario.links[place];
      return answer.links.find((one) => one.source === source && one.target === target).series;
    };
    const cut = ([first, length]) => ({
      times: numbers.subarray(first, first + length),
      values: numbers.subarray(first + length, first + 2 * length),
    });
    const counted = (place) => {
      const { times, values } = cut(link(place).sent_bytes);
      return {
        times,
        values: values.map((bytes) =>
          Math.max(0, Math.round((bytes - settings.handshakeBytes) / settings.packetBytes)),
        ),
      };
    };
    const entered = counted(0);
    const left = counted(2);
    const queue = cut(link(2).queue_packets);
    const until = ({ times, values }) => {
      let next = 0;
      return (place) => {
        while (next < times.length && Math.trunc(times[next] / step) <= place) next += 1;
        return next ? values[next - 1] : 0;
      };
    };
    const [leftUntil, queueUntil] = [until(left), until(queue)];
    const out = [];
    left.values.forEach((value, i) => {
      for (let k = i ? left.values[i - 1] : 0; k < value; k++) out.push(left.times[i]);
    });
    const [sentS, leftS] = [[], []];
    let [dropped, kept] = [0, 0];
    entered.values.forEach((value, i) => {
      const news = value - (i ? entered.values[i - 1] : 0);
      const reachedNs = Math.round(entered.times[i] * 1e9) + Math.round(scenario.links[0].delay_s * 1e9);
      const place = Math.trunc((1e-9 * reachedNs) / step);
      const beyond = Math.max(dropped, value - leftUntil(place) - queueUntil(place) - 1);
      const lost = beyond - dropped;
      dropped = beyond;
      for (let k = 0; k < news; k++) {
        sentS.push(entered.times[i]);
        if (k < news - lost) {
          leftS.push(kept < out.length ? out[kept] : Infinity);
          kept += 1;
        } else {
          leftS.push(NaN);
        }
      }
    });
    const cwnd = cut(answer.flows[0].series.cwnd_segments);
    return { sentS, leftS, cwnd, queue, out };
  };

  const roundsOf = ({ sentS, leftS, cwnd, queue }, scenario) => {
    const rtt = 2 * scenario.links[2].delay_s;
    const begin = sentS[0];
    const room = Math.floor(scenario.flows[0].receive_buffer_bytes / settings.segmentBytes);
    return Array.from({ length: settings.rounds }, (_, i) => {
      const [first, last] = [begin + i * rtt, begin + (i + 1) * rtt];
      const within = (time) => time >= first && time < last;
      let [sent, lost, waiting, window] = [0, 0, 0, 0];
      sentS.forEach((time, k) => {
        if (within(time)) {
          sent += 1;
          lost += Number.isNaN(leftS[k]) ? 1 : 0;
        }
      });
      queue.times.forEach((time, k) => {
        if (within(time)) waiting = Math.max(waiting, queue.values[k]);
      });
      cwnd.times.forEach((time, k) => {
        if (time < last) window = Math.min(room, cwnd.values[k]);
      });
      return { round: i + 1, sent, lost, window, waiting };
    });
  };

  const build = (container) => {
    const form = make(container, "form");
    const field = (label, tag, attributes) => {
      const holder = make(form, "label", {}, label);
      return make(holder, tag, attributes);
    };
    const path = field("path", "select");
    settings.paths.forEach(([name], i) => make(path, "option", { value: i }, name));
    const start = field("start-up", "select");
    for (const name of settings.startUps) make(start, "option", { value: name }, name);
    const other = field("beside it", "select");
    make(other, "option", { value: "" }, "nothing");
    for (const name of settings.startUps) make(other, "option", { value: name }, name);
    const own = {};
    for (const [name, label, low, high, step] of settings.fields) {
      own[name] = field(label, "input", { type: "number", min: low, max: high, step });
    }
    const overview = make(container, "canvas", {
      class: "rounds-overview",
      role: "img",
      "aria-label": "Packets that are sent and lost over ten round trips",
    });
    const id = `rounds-${Math.random().toString(36).slice(2)}`;
    make(container, "label", { for: id }, "time, in round trips");
    const slider = make(container, "input", {
      ...{ id, type: "range", min: 0, max: settings.rounds, step: 0.05, value: 2 },
    });
    const output = make(container, "output", { for: id, "aria-live": "polite" });
    const ladder = make(container, "canvas", {
      role: "img",
      "aria-label": "Packets and ACKs between the sender, the queue and the receiver",
    });
    const table = make(container, "table");
    let shown = []; // { name, scenario, packets, rounds }
    let asked = 0;

    const colours = () => {
      const style = getComputedStyle(container);
      const of = (name) => style.getPropertyValue(name).trim();
      return { ink: style.color, lines: [of("--line-0"), of("--line-2")], lost: of("--line-1") };
    };
    const paper = (canvas, height) => {
      const width = Math.max(240, container.clientWidth - 34);
      const scale = window.devicePixelRatio || 1;
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.height = `${height}px`;
      const context = canvas.getContext("2d");
      context.scale(scale, scale);
      context.font = "12px sans-serif";
      return { context, width, height };
    };

    const BINS = 20; // of a round trip
    const left = 44;
    const drawOverview = () => {
      const each = 96;
      const { context, width, height } = paper(overview, 22 + each * shown.length);
      const { ink, lines, lost } = colours();
      const x = (rounds) => left + ((width - left - 8) * rounds) / settings.rounds;
      const bins = shown.map(({ packets, scenario }) => {
        const rtt = 2 * scenario.links[2].delay_s;
        const sums = Array.from({ length: BINS * settings.rounds }, () => [0, 0]);
        packets.sentS.forEach((time, k) => {
          const bin = sums[Math.floor(((time - packets.sentS[0]) / rtt) * BINS)];
          if (bin) bin[Number.isNaN(packets.leftS[k]) ? 1 : 0] += 1;
        });
        return sums;
      });
      const most = Math.max(10, ...bins.flat().map(([sent, gone]) => sent + gone));
      bins.forEach((sums, row) => {
        const bottom = each * (row + 1) - 2;
        const y = (number) => ((each - 26) * Math.log1p(number)) / Math.log1p(most);
        sums.forEach(([sent, gone], i) => {
          const wide = Math.max(1, x(1 / BINS) - x(0) - 0.5);
          context.fillStyle = lines[row];
          context.fillRect(x(i / BINS), bottom - y(sent + gone), wide, y(sent + gone));
          if (gone) {
            const high = y(sent + gone) * (gone / (sent + gone));
            context.fillStyle = lost;
            context.fillRect(x(i / BINS), bottom - y(sent + gone), wide, Math.max(2, high));
          }
        });
        context.fillStyle = ink;
        context.textAlign = "left";
        context.fillText(`${shown[row].name}: packets in a twentieth of a round trip`, left, bottom - each + 18, width - left - 8);
        context.textAlign = "right";
        for (const mark of [1, 10, 100, 1000, 10000].filter((one) => one <= most)) {
          context.fillText(count(mark), left - 4, bottom - y(mark) + 4);
        }
      });
      context.textAlign = "center";
      context.fillStyle = ink;
      for (let mark = 0; mark <= settings.rounds; mark++) context.fillText(`${mark}`, x(mark), height - 6);
      context.strokeStyle = ink;
      context.beginPath();
      context.moveTo(x(slider.valueAsNumber), 4);
      context.lineTo(x(slider.valueAsNumber), height - 18);
      context.stroke();
      overview.scrubbed = (px) => (settings.rounds * (px - left)) / (width - left - 8);
    };

    const drawLadder = () => {
      const { context, width, height } = paper(ladder, 380);
      const { ink, lines, lost } = colours();
      const panel = width / shown.length;
      let merged = 0;
      shown.forEach(({ name, packets, scenario }, column) => {
        const rtt = 2 * scenario.links[2].delay_s;
        const now = packets.sentS[0] + slider.valueAsNumber * rtt;
        const [from, until] = [now - 0.9 * rtt, now + 0.6 * rtt];
        const y = (time) => 40 + ((height - 46) * (time - from)) / (until - from);
        const first = column * panel + (column ? 14 : 6);
        const [sender, queue, receiver] = [first, first + panel * 0.14, (column + 1) * panel - 14];
        context.save();
        context.beginPath();
        context.rect(column * panel, 40, panel, height - 40);
        context.clip();
        const seen = [];
        packets.sentS.forEach((time, k) => {
          const back = packets.leftS[k] + rtt;
          if (time <= now && !(back < from) && time >= from - 3 * rtt && (back < Infinity || time >= from)) seen.push(k);
        });
        merged = Math.max(merged, seen.length);
        for (const [kind, colour, strength] of [["data", lines[column], 1], ["ack", ink, 0.5], ["lost", lost, 1.3]]) {
          context.beginPath();
          // Of the lines that would begin in the same half of a pixel, one is drawn.
          const last = { sent: NaN, out: NaN };
          let drawn = 0;
          const isNew = (end, time) => {
            const at = Math.round(2 * y(time));
            if (at === last[end]) return false;
            last[end] = at;
            drawn += 1;
            return true;
          };
          for (const k of seen) {
            const [sent, out] = [packets.sentS[k], packets.leftS[k]];
            const gone = Number.isNaN(out);
            if (kind === "lost" && gone && isNew("sent", sent)) {
              context.moveTo(sender, y(sent));
              context.lineTo(queue, y(sent));
              context.moveTo(queue - 4, y(sent) - 4);
              context.lineTo(queue + 4, y(sent) + 4);
              context.moveTo(queue - 4, y(sent) + 4);
              context.lineTo(queue + 4, y(sent) - 4);
            } else if (kind === "data" && !gone) {
              if (isNew("sent", sent)) {
                context.moveTo(sender, y(sent));
                context.lineTo(queue, y(sent));
              }
              if (out < Infinity && isNew("out", out)) {
                context.moveTo(queue, y(out));
                context.lineTo(receiver, y(out + rtt / 2));
              }
            } else if (kind === "ack" && out < Infinity && isNew("out", out)) {
              context.moveTo(receiver, y(out + rtt / 2));
              context.lineTo(sender, y(out + rtt));
            }
          }
          context.globalAlpha = strength * Math.max(0.3, Math.min(0.75, 120 / drawn));
          context.strokeStyle = colour;
          context.lineWidth = kind === "lost" ? 1.5 : 1;
          context.stroke();
        }
        // What waits, as wide as it is long.
        context.globalAlpha = 0.6;
        context.fillStyle = lines[column];
        const longest = scenario.links[2].queue_packets;
        context.beginPath();
        context.moveTo(queue, y(from));
        let held = 0;
        packets.queue.times.forEach((time, k) => {
          if (time > now) return;
          if (time >= from) {
            context.lineTo(queue + (held / longest) * panel * 0.2, y(time));
            context.lineTo(queue + (packets.queue.values[k] / longest) * panel * 0.2, y(time));
          }
          held = packets.queue.values[k];
        });
        context.lineTo(queue + (held / longest) * panel * 0.2, y(now));
        context.lineTo(queue, y(now));
        context.fill();
        context.restore();
        context.globalAlpha = 1;
        context.strokeStyle = ink;
        context.fillStyle = ink;
        context.beginPath();
        for (const at of [sender, queue, receiver]) {
          context.moveTo(at, 40);
          context.lineTo(at, height);
        }
        context.moveTo(sender, y(now));
        context.lineTo(receiver, y(now));
        context.stroke();
        context.textAlign = "left";
        context.fillText(name, sender, 14);
        context.fillText("sender", sender, 32);
        context.fillText("queue", Math.max(queue, sender + 44), 32);
        context.textAlign = "right";
        context.fillText("receiver", receiver, 32);
      });
      return merged;
    };

    const words = ({ name, rounds }) => {
      const round = Math.min(settings.rounds, Math.floor(slider.valueAsNumber) + 1);
      const { sent, lost, window, waiting } = rounds[round - 1];
      const gone = lost ? `${count(lost)} of them find no room in the queue` : "none is lost";
      return (
        `${name}, round trip ${round}: ${count(sent)} packets are sent, ${gone}; at its end the ` +
        `window is ${count(window)} segments, and at most ${count(waiting)} packets wait.`
      );
    };
    const draw = () => {
      if (!shown.length) return;
      drawOverview();
      const merged = drawLadder();
      const band = merged > 400 ? ` Below are ${count(merged)} packets: lines that fall on each other are drawn once.` : "";
      output.textContent = shown.map(words).join(" ") + band;
      slider.setAttribute("aria-valuetext", `${slider.value} round trips`);
      const here = Math.min(settings.rounds, Math.floor(slider.valueAsNumber) + 1);
      [...table.tBodies[0].rows].forEach((row, i) => row.classList.toggle("here", i + 1 === here));
    };
    const tabulate = () => {
      table.replaceChildren();
      make(table, "caption", {}, "Ten round trips in numbers");
      const head = make(table, "thead");
      const [names, columns] = [make(head, "tr"), make(head, "tr")];
      names.hidden = shown.length < 2;
      make(names, "td");
      make(columns, "th", { scope: "col" }, "round trip");
      for (const { name } of shown) {
        make(names, "th", { scope: "colgroup", colspan: 3 }, name);
        for (const what of ["sent", "lost", "window"]) make(columns, "th", { scope: "col" }, what);
      }
      const body = make(table, "tbody");
      for (let i = 0; i < settings.rounds; i++) {
        const row = make(body, "tr");
        make(row, "th", { scope: "row" }, `${i + 1}`);
        for (const { rounds } of shown) {
          for (const what of ["sent", "lost", "window"]) make(row, "td", {}, count(rounds[i][what]));
        }
      }
    };

    const state = () => ({
      rate: own.rate.valueAsNumber,
      rtt: own.rtt.valueAsNumber,
      queue: own.queue.valueAsNumber,
    });
    const run = async () => {
      const mine = ++asked;
      const wrong = settings.fields.find(([name]) => !own[name].checkValidity() || own[name].value === "");
      if (wrong) {
        output.textContent = `${wrong[1]}: it must be a number from ${wrong[2]} to ${wrong[3]}.`;
        return;
      }
      output.textContent = "The engine runs …";
      const made = [];
      try {
        for (const name of [start.value, other.value].filter((one, i) => one && (!i || one !== start.value))) {
          const scenario = scenarioOf({ start: name, ...state() });
          const packets = packetsOf(await longfatLaboratory.run(settings.engine, scenario), scenario);
          made.push({ name, scenario, packets, rounds: roundsOf(packets, scenario) });
        }
      } catch (error) {
        output.textContent = `The engine could not run this: ${error.message}`;
        return;
      }
      if (mine !== asked) return; // another was asked for meanwhile
      shown = made;
      tabulate();
      draw();
      container.dispatchEvent(new CustomEvent("longfat-rounds", { detail: shown }));
    };
    const choose = () => {
      const [, rate, rtt, queue] = settings.paths[path.value];
      Object.assign(own.rate, { value: rate });
      Object.assign(own.rtt, { value: rtt });
      Object.assign(own.queue, { value: queue });
    };
    form.addEventListener("submit", (event) => event.preventDefault());
    path.addEventListener("change", () => { choose(); run(); });
    for (const one of [start, other, ...Object.values(own)]) one.addEventListener("change", run);
    slider.addEventListener("input", draw);
    const scrub = (event) => {
      const box = overview.getBoundingClientRect();
      slider.value = overview.scrubbed(event.clientX - box.left);
      draw();
    };
    overview.addEventListener("pointerdown", (event) => {
      overview.setPointerCapture(event.pointerId);
      scrub(event);
    });
    overview.addEventListener("pointermove", (event) => { if (event.buttons) scrub(event); });
    let width = container.clientWidth;
    new ResizeObserver(() => {
      if (container.clientWidth !== width) {
        width = container.clientWidth;
        draw();
      }
    }).observe(container);
    new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    choose();
    run();
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".longfat-rounds").forEach((container) => {
      // The engine, which is large, is loaded once the reader comes here.
      const seen = new IntersectionObserver((entries) => {
        if (entries.some((entry) => entry.isIntersecting)) {
          seen.disconnect();
          build(container);
        }
      }, { rootMargin: "200px" });
      seen.observe(container);
    });
  });
};
