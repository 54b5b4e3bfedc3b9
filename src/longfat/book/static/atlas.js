// The atlas in a page: a path's senders, or a sender's paths, from the archive.
"use strict";
(() => {
  const place = document.currentScript.closest(".longfat-atlas");
  const data = JSON.parse(place.querySelector('script[type="application/json"]').textContent);
  const { levels, senders, runs, scale } = data;
  const [GOODPUT, HALF, MEDIAN, LATE, QUEUE, REPEATED, OTHER, OTHER_HALF] = [0, 1, 2, 3, 4, 5, 6, 7];
  const SUPERSCRIPT = { "-": "⁻", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷" };

  const power = (p) => `10${[...String(Math.round(Math.log10(p)))].map((c) => SUPERSCRIPT[c]).join("")}`;
  const rateText = (bps) => (bps >= 1e9 ? `${bps / 1e9} Gb/s` : `${bps / 1e6} Mb/s`);
  const CHOICES = [
    { name: "loss", label: "loss", text: power, first: 1e-3 },
    { name: "rtt_s", label: "round trip", text: (s) => `${1000 * s} ms`, first: 0.6 },
    { name: "rate_bps", label: "rate", text: rateText, first: 1e7 },
    { name: "buffer_bdp", label: "buffer", text: (b) => `${b} of what the path holds`, first: 1 },
  ];
  const state = { view: "path", sort: "goodput", words: "", sender: Math.max(0, senders.findIndex(([n]) => n === "cubic")) };
  for (const one of CHOICES) state[one.name] = Math.max(0, levels[one.name].indexOf(one.first));

  const make = (tag, text = "", fields = {}) => Object.assign(document.createElement(tag), { textContent: text }, fields);
  const value = (row, k) => (row && row[k] != null ? row[k] / scale[k] : NaN);
  const rowsOf = (loss, rtt, rate, buffer, beside) => runs[[loss, rtt, rate, buffer, beside].join(" ")];
  const here = (beside) => rowsOf(state.loss, state.rtt_s, state.rate_bps, state.buffer_bdp, beside);
  const number = (x, digits = 2) => (Number.isFinite(x) ? x.toFixed(digits) : "–");

  function told(rows) {
    // For each sender: whether its goodput cannot be told from the largest.
    const goodputs = rows.map((row) => value(row, GOODPUT));
    const top = goodputs.reduce((best, g, i) => (g > goodputs[best] ? i : best), 0);
    return rows.map((row, i) =>
      goodputs[i] >= goodputs[top] / 2 &&
      goodputs[top] - goodputs[i] <= Math.hypot(value(row, HALF), value(rows[top], HALF)) + 1e-9);
  }

  function kept(beside, i) {
    // What a neighbour keeps beside a sender, times what it has beside its own kind: [ratio, half].
    const rows = here(beside);
    const own = rows && rows[senders.findIndex(([name]) => name === data.beside[beside])];
    if (!rows || !rows[i] || !own) return [NaN, NaN];
    const among = value(own, OTHER);
    const ratio = value(rows[i], OTHER) / among;
    return [ratio, Math.hypot(value(rows[i], OTHER_HALF), ratio * value(own, OTHER_HALF)) / among];
  }

  function bar(mean, half) {
    // A whisker on a scale from 0 to 1.
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const width = 90;
    const x = (v) => 2 + (width - 4) * Math.min(1, Math.max(0, v));
    svg.setAttribute("viewBox", `0 0 ${width} 12`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", 12);
    svg.setAttribute("aria-hidden", "true");
    svg.innerHTML =
      `<line x1="2" x2="${width - 2}" y1="6" y2="6" stroke="currentColor" opacity="0.2"/>` +
      `<line x1="${x(mean - half)}" x2="${x(mean + half)}" y1="6" y2="6" stroke="#0072b2" stroke-width="3"/>` +
      `<circle cx="${x(mean)}" cy="6" r="3.5" fill="#0072b2"/>`;
    return svg;
  }

  function address(i, beside) {
    const at = CHOICES.map((one) => levels[one.name][state[one.name]]);
    const [queue, window, duration] = data.paths[[state.rtt_s, state.rate_bps, state.buffer_bdp].join(" ")];
    const query = new URLSearchParams({
      lab: data.laboratory,
      senders: [senders[i][0], ...(beside ? [beside] : [])].join(","),
      rate: at[2] / 1e6, rtt: 1000 * at[1], loss: at[0], queue, window, duration, seed: 1,
    });
    return `#${query.toString().replaceAll("%2C", ",")}`;
  }

  // --- the form

  const form = make("form");
  form.addEventListener("submit", (event) => event.preventDefault());
  const note = make("p", "", { role: "status" });
  const scrolls = make("div", "", { className: "atlas-scrolls", tabIndex: 0 });
  place.append(form, note, scrolls);

  function choice(label, options, chosen, take) {
    const box = make("label", label);
    const select = make("select", "", { ariaLabel: label });
    select.setAttribute("aria-label", label);
    options.forEach((text, k) => select.append(make("option", text, { value: k, selected: k === chosen })));
    select.addEventListener("change", () => { take(Number(select.value)); show(); });
    box.append(select);
    return box;
  }

  function drawForm() {
    const views = ["a path", "a sender"];
    const parts = [choice("look up", views, state.view === "path" ? 0 : 1, (k) => { state.view = k ? "sender" : "path"; })];
    const asked = state.view === "path" ? CHOICES : CHOICES.slice(3);
    if (state.view === "sender") {
      parts.push(choice("sender", senders.map(([, title]) => title), state.sender, (k) => { state.sender = k; }));
    }
    for (const one of asked) {
      parts.push(choice(one.label, levels[one.name].map(one.text), state[one.name], (k) => { state[one.name] = k; }));
    }
    if (state.view === "path") {
      const box = make("label", "search");
      const words = make("input", "", { type: "search", value: state.words, size: 12 });
      words.setAttribute("aria-label", "search senders");
      words.addEventListener("input", () => { state.words = words.value; draw(); });
      box.append(words);
      parts.push(box);
    }
    form.replaceChildren(...parts);
  }

  // --- a path's senders

  const COLUMNS = [
    { key: "sender", label: "sender" },
    { key: "goodput", label: "goodput, part of the link", down: true },
    { key: "bar", label: "0 to 1" },
    { key: "median", label: "round trip, median (ms)" },
    { key: "late", label: "95 % (ms)" },
    { key: "queue", label: "buffer in use" },
    { key: "repeated", label: "sent again" },
    { key: "newreno", label: "a NewReno beside it keeps", down: true },
    { key: "cubic", label: "a CUBIC beside it keeps", down: true },
    { key: "try", label: "Laboratory" },
  ];

  function drawPath() {
    const rows = here(0);
    if (!rows) {
      note.textContent = "The atlas leaves this path out: it holds more packets than could be simulated for every sender, or was not run at this loss.";
      scrolls.replaceChildren();
      return;
    }
    const first = told(rows);
    const base = 1000 * levels.rtt_s[state.rtt_s];
    const items = senders.map(([name, title], i) => ({
      i, name, title, row: rows[i], first: first[i], sender: title.toLowerCase(),
      goodput: value(rows[i], GOODPUT), median: base * value(rows[i], MEDIAN), late: base * value(rows[i], LATE),
      queue: value(rows[i], QUEUE), repeated: value(rows[i], REPEATED), newreno: kept(1, i), cubic: kept(2, i),
    })).filter((item) => item.row);
    const sort = COLUMNS.find((one) => one.key === state.sort);
    const of = (item) => (Array.isArray(item[sort.key]) ? item[sort.key][0] : item[sort.key]);
    items.sort((a, b) => {
      const [x, y] = [of(a), of(b)];
      if (typeof x === "string") return x < y ? -1 : 1;
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return sort.down ? y - x : x - y;
    });
    const words = state.words.trim().toLowerCase();
    const shown = items.filter((item) => `${item.name} ${item.sender}`.includes(words));
    const told1 = items.filter((item) => item.first).map((item) => item.title);
    note.textContent = `${told1.length === 1 ? "Largest goodput" : "Largest goodput, not to be told apart"}: ${told1.join(", ")}.` +
      (words ? ` ${shown.length} of ${items.length} senders.` : "");
    const table = make("table");
    const head = make("tr");
    for (const one of COLUMNS) {
      const cell = make("th");
      if (["bar", "try"].includes(one.key)) cell.textContent = one.label;
      else {
        const button = make("button", one.label, { type: "button" });
        button.addEventListener("click", () => { state.sort = one.key; draw(); });
        if (one.key === state.sort) cell.setAttribute("aria-sort", one.down ? "descending" : "ascending");
        cell.append(button);
      }
      head.append(cell);
    }
    const thead = make("thead");
    thead.append(head);
    const body = make("tbody");
    for (const item of shown) {
      const line = make("tr", "", { className: item.first ? "first" : "" });
      const name = make("td");
      const button = make("a", item.title, { href: `catalogue.html#cc-${item.name}` });
      name.append(button);
      const whisker = make("td");
      whisker.append(bar(item.goodput, value(item.row, HALF)));
      const goes = make("td");
      ["", "newreno", "cubic"].forEach((beside, k) => {
        if (k) goes.append(", ");
        goes.append(make("a", beside ? { newreno: "NewReno", cubic: "CUBIC" }[beside] : "alone", { href: address(item.i, beside) }));
      });
      const ratio = ([mean, half]) => (Number.isFinite(mean) ? `${number(mean)} ± ${number(half)}` : "–");
      line.append(
        name,
        make("td", `${number(item.goodput, 3)} ± ${number(value(item.row, HALF), 3)}`),
        whisker,
        make("td", number(item.median, 0)),
        make("td", number(item.late, 0)),
        make("td", `${number(100 * item.queue, 0)} %`),
        make("td", `${number(100 * item.repeated, 1)} %`),
        make("td", ratio(item.newreno)),
        make("td", ratio(item.cubic)),
        goes,
      );
      body.append(line);
    }
    table.append(thead, body);
    scrolls.replaceChildren(table);
  }

  // --- a sender's paths

  function drawSender() {
    const i = state.sender;
    let best = 0;
    let all = 0;
    const table = make("table");
    const head = make("tr");
    head.append(make("th", "rate, round trip"), ...levels.loss.map((p) => make("th", `loss ${power(p)}`)));
    const thead = make("thead");
    thead.append(head);
    const body = make("tbody");
    levels.rate_bps.forEach((bps, rate) => levels.rtt_s.forEach((s, rtt) => {
      const cells = levels.loss.map((_, loss) => {
        const rows = rowsOf(loss, rtt, rate, state.buffer_bdp, 0);
        const cell = make("td", "", { className: "cell" });
        if (!rows || !rows[i]) return cell;
        const top = Math.max(...rows.map((row) => value(row, GOODPUT) || 0));
        const part = top ? value(rows[i], GOODPUT) / top : 0;
        const first = told(rows)[i];
        all += 1;
        best += first;
        cell.style.background = `rgba(0, 158, 115, ${(0.65 * part).toFixed(2)})`;
        const button = make("button", `${number(100 * part, 0)} %${first ? " ●" : ""}`, { type: "button" });
        button.setAttribute("aria-label", `${rateText(bps)}, ${1000 * s} ms, loss ${power(levels.loss[loss])}: ${number(100 * part, 0)} % of the best; look up this path`);
        button.addEventListener("click", () => {
          Object.assign(state, { view: "path", loss, rtt_s: rtt, rate_bps: rate });
          show();
        });
        cell.append(button);
        return cell;
      });
      if (cells.every((cell) => !cell.firstChild)) return;
      const line = make("tr");
      line.append(make("td", `${rateText(bps)}, ${1000 * s} ms`), ...cells);
      body.append(line);
    }));
    table.append(thead, body);
    note.textContent = `${senders[i][1]}: its goodput alone, as a part of the best sender's on the same path. ` +
      `On ${best} of ${all} paths (●) it cannot be told from the best. A cell leads to its path.`;
    scrolls.replaceChildren(table);
  }

  const draw = () => {
    (state.view === "path" ? drawPath : drawSender)();
    window.dispatchEvent(new Event("resize")); // the page looks again whether the table scrolls
  };
  function show() { drawForm(); draw(); }
  show();
})();
