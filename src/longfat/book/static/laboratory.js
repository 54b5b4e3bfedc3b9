// The Laboratory: a network and its senders, simulated in the page by the segment engine.
//
// A panel is <div class="longfat-laboratory" data-laboratory="NAME"> with its settings as JSON in a
// <script type="application/json"> (longfat.book.laboratory writes both). The engine is a WebAssembly
// module that runs in a Web Worker: `longfatEngine`, its bytes in base64, comes from a script of its
// own, which the first run loads. With `orbit` in the settings the path is one through low orbits, with
// a map (orbit.js). The state of a panel is in the address: #lab=NAME&rate=10&...
"use strict";

const longfatLaboratory = (() => {
  // What runs in the worker. It is turned into text, so that it needs no file of its own: a page
  // that is read from a disk may not load one.
  function workerMain() {
    let engine = null;
    const text = (pointer) => {
      const bytes = new Uint8Array(engine.memory.buffer);
      return new TextDecoder().decode(bytes.subarray(pointer, bytes.indexOf(0, pointer)));
    };
    const load = async (module) => {
      const instance = await WebAssembly.instantiate(module, {});
      engine = instance.exports;
      if (engine._initialize) engine._initialize();
    };
    const simulate = (scenario) => {
      const bytes = new TextEncoder().encode(JSON.stringify(scenario));
      const place = engine.longfat_alloc(bytes.length);
      new Uint8Array(engine.memory.buffer).set(bytes, place);
      const run = engine.longfat_start(place, bytes.length);
      const began = performance.now();
      let said = began;
      while (engine.longfat_run(run, Infinity, 50000)) {
        if (performance.now() - said > 100) {
          said = performance.now();
          postMessage({ simulatedS: engine.longfat_now(run) });
        }
      }
      const answer = JSON.parse(text(engine.longfat_answer(run)));
      const numbers = new Float64Array(
        engine.memory.buffer,
        engine.longfat_numbers(run),
        engine.longfat_number_count(run),
      ).slice();
      engine.longfat_end(run);
      return { answer, numbers, wallS: (performance.now() - began) / 1000 };
    };
    onmessage = async ({ data }) => {
      try {
        if (!engine) await load(data.module);
        postMessage({ result: simulate(data.scenario) });
      } catch (error) {
        let words = String(error);
        try {
          words = text(engine.longfat_last_words()) || words;
        } catch {
          // it never started
        }
        postMessage({ failed: words });
      }
    };
  }

  let compiled = null; // of the module, once a page

  function loadEngine(address) {
    compiled ??= new Promise((resolve, reject) => {
      if (window.longfatEngine) return resolve(); // the page has it in itself
      const script = document.createElement("script");
      script.src = address;
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${address} could not be loaded`));
      document.head.append(script);
    }).then(() => {
      const bytes = Uint8Array.from(atob(window.longfatEngine), (c) => c.charCodeAt(0));
      return WebAssembly.compile(bytes);
    });
    return compiled;
  }

  function newWorker() {
    const source = `(${workerMain.toString()})()`;
    return new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  }

  // --- settings: names in the address, what is allowed, and what they do to the scenario

  const FIELDS = [
    { name: "rate", label: "rate", unit: "Mb/s", low: 0.01, high: 10000 },
    { name: "rtt", label: "round trip", unit: "ms", low: 1, high: 10000 },
    { name: "silence", label: "silence at a change", unit: "ms", low: 0, high: 10000 },
    { name: "loss", label: "loss", unit: "of packets", low: 0, high: 0.5 },
    { name: "queue", label: "queue", unit: "packets", low: 1, high: 1000000, whole: true },
    { name: "window", label: "window limit", unit: "segments", low: 2, high: 1000000, whole: true },
    { name: "duration", label: "duration", unit: "s", low: 0.1, high: 1000 },
    { name: "seed", label: "seed", unit: "", low: 1, high: 2147483647, whole: true },
  ];
  const MOST_SENDERS = 4;
  const fieldsOf = (settings) => FIELDS.filter((field) => field.name in settings.state);
  // What a panel asks for beside numbers: { name, label, options }, title by value; a text without.
  const choicesOf = (settings) => settings.choices ?? [];

  function fault(field, value) {
    const number = Number(value);
    const wrong =
      String(value).trim() === "" || !Number.isFinite(number) || number < field.low ||
      number > field.high || (field.whole && !Number.isInteger(number));
    if (!wrong) return "";
    const kind = field.whole ? "a whole number" : "a number";
    const shown = String(value).slice(0, 30);
    return `${field.label} is "${shown}": it must be ${kind} from ${field.low} to ${field.high} ${field.unit}`.trim() + ".";
  }

  function readAddress(settings) {
    // Returns { state, problem }: the default state where the address does not fit.
    const query = new URLSearchParams(location.hash.slice(1));
    if (query.get("lab") !== settings.name) return { state: null, problem: "" };
    const state = structuredClone(settings.state);
    if (settings.opens && query.has("scenario")) return opened(state, query.get("scenario"), "the address");
    for (const [key, value] of query) {
      const field = fieldsOf(settings).find((one) => one.name === key);
      const choice = choicesOf(settings).find((one) => one.name === key);
      if (key === "lab") continue;
      if (key === "senders") {
        const senders = value.split(",");
        const unknown = senders.find((one) => !(one in settings.senders));
        if (unknown !== undefined || senders.length > MOST_SENDERS) {
          const what = unknown === undefined
            ? `there are ${senders.length} senders: up to ${MOST_SENDERS} are allowed`
            : `"${unknown.slice(0, 30)}" is no sender of the catalogue`;
          return { state: null, problem: `The address asks for something else than this page has: ${what}. The default is shown.` };
        }
        state.senders = senders;
      } else if (field) {
        const wrong = fault(field, value);
        if (wrong) return { state: null, problem: `In the address, ${wrong} The default is shown.` };
        state[key] = Number(value);
      } else if (choice) {
        if (choice.options && !(value in choice.options)) {
          return { state: null, problem: `In the address, ${choice.label} is "${value.slice(0, 30)}": this page does not have that. The default is shown.` };
        }
        state[key] = value;
      } else {
        return { state: null, problem: `The address has "${key.slice(0, 30)}", which this page does not know. The default is shown.` };
      }
    }
    const problem = settings.orbit ? longfatOrbit.problem(settings, state) : "";
    return problem ? { state: null, problem: `In the address, ${problem} The default is shown.` } : { state, problem };
  }

  function opened(state, text, where) {
    // Returns { state, problem }: that state with a whole scenario in it, which takes the form's place.
    let scenario;
    try {
      scenario = JSON.parse(text);
    } catch (error) {
      return { state: null, problem: `The scenario of ${where} is not JSON: ${error.message}.` };
    }
    const lists = [scenario?.links, scenario?.flows];
    if (!lists.every((one) => Array.isArray(one) && one.length) || !(scenario.duration_s > 0)) {
      return { state: null, problem: `What ${where} has is no scenario with links, flows and duration_s.` };
    }
    return { state: { ...state, scenario, duration: scenario.duration_s, opened: where }, problem: "" };
  }

  function writeAddress(settings, state) {
    if (state.scenario) {
      const query = new URLSearchParams({ lab: settings.name, scenario: JSON.stringify(state.scenario) });
      history.replaceState(null, "", `#${query}`);
      return;
    }
    const query = new URLSearchParams({ lab: settings.name, senders: state.senders.join(",") });
    for (const { name } of [...choicesOf(settings), ...fieldsOf(settings)]) query.set(name, state[name]);
    history.replaceState(null, "", `#${query.toString().replaceAll("%2C", ",")}`);
  }

  function scenarioOf(settings, state) {
    // The network's scenario with the reader's settings: what longfat.Scenario reads.
    if (state.scenario) return recorded(settings, structuredClone(state.scenario));
    const scenario = structuredClone(settings.scenario);
    if (settings.orbit) scenario.links = longfatOrbit.links(settings, state);
    else setLinks(scenario, settings, state);
    const flows = scenario.flows;
    scenario.flows = state.senders.map((name, i) => {
      const flow = structuredClone(flows[Math.min(i, flows.length - 1)]);
      const own = flow.congestion_control;
      const parameters = own && own.name === name ? own.parameters : undefined;
      flow.congestion_control = parameters ? { name, parameters } : { name };
      flow.name = state.senders.length > 1 ? `${i + 1} ${name}` : name;
      if (settings.with_timestamps) flow.timestamps = settings.with_timestamps.includes(name);
      delete flow.max_window_segments;
      flow.receive_buffer_bytes = state.window * (flow.segment_bytes ?? 1000);
      return flow;
    });
    scenario.duration_s = state.duration;
    scenario.seed = state.seed;
    return recorded(settings, scenario);
  }

  function recorded(settings, scenario) {
    scenario.record = {
      series: ["cwnd_segments", "rtt_s", "delivered_bytes", "queue_packets"],
      points: settings.points,
    };
    return scenario;
  }

  function setLinks(scenario, settings, state) {
    const there = scenario.links[settings.bottleneck];
    const back = scenario.links.find((l) => l.source === there.target && l.target === there.source);
    const delayS = Math.max(0, state.rtt / 1000 / 2 - settings.other_delay_s);
    for (const link of [there, back]) {
      link.rate_bps = state.rate * 1e6;
      link.delay_s = Number(delayS.toPrecision(12));
      delete link.queue_bytes;
      link.queue_packets = state.queue;
    }
    there.loss_per_packet = state.loss;
  }

  const asPython = (json) =>
    `from longfat import Scenario, simulate\n\nscenario = Scenario.from_json("""\n${json}\n""")\n` +
    `print(simulate(scenario, engine="segment").flows)\n`;

  // --- series

  function seriesOf({ answer, numbers }, settings) {
    // Returns, by kind, [{ label, times, values }] as the plots show them.
    const cut = ([first, count]) => ({
      times: numbers.subarray(first, first + count),
      values: numbers.subarray(first + count, first + 2 * count),
    });
    const plots = { cwnd: [], rtt: [], goodput: [], queue: [] };
    for (const flow of answer.flows) {
      const { series, name } = flow;
      if (series.cwnd_segments) plots.cwnd.push({ label: name, ...cut(series.cwnd_segments) });
      if (series.rtt_s) {
        const { times, values } = cut(series.rtt_s);
        plots.rtt.push({ label: name, times, values: values.map((s) => 1000 * s) });
      }
      if (series.delivered_bytes) plots.goodput.push({ label: name, ...rate(cut(series.delivered_bytes), settings.durationS) });
    }
    const link = settings.links[settings.bottleneck];
    const queue = answer.links.find((l) => l.source === link.source && l.target === link.target);
    if (queue?.series?.queue_packets) plots.queue.push({ label: "queue", ...cut(queue.series.queue_packets) });
    return plots;
  }

  function rate({ times, values }, durationS) {
    // Mb/s in each of 60 equal intervals, from a running count of bytes.
    const bins = 60;
    const width = durationS / bins;
    const ends = Float64Array.from({ length: bins }, (_, i) => (i + 1) * width);
    const rates = new Float64Array(bins);
    let k = 0;
    let held = 0;
    for (let i = 0; i < bins; i++) {
      const before = held;
      while (k < times.length && times[k] <= ends[i] + 1e-9) held = values[k++];
      rates[i] = (8 * (held - before)) / width / 1e6;
    }
    return { times: ends, values: rates };
  }

  // --- drawing

  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
  const PLOTS = [
    { key: "cwnd", title: "congestion window (segments)" },
    { key: "rtt", title: "round-trip time (ms)" },
    { key: "queue", title: "queue (packets)" },
    { key: "goodput", title: "goodput (Mb/s)" },
  ];

  function draw(place, plot, runs, width) {
    // One axis of time for all lines: uPlot joins them.
    const lines = runs.flatMap((run, r) => run.plots[plot.key].map((line, i) => ({ ...line, i, kept: r < runs.length - 1 })));
    place.replaceChildren();
    const title = document.createElement("p");
    title.className = "plot-title";
    title.textContent = plot.title;
    place.append(title);
    if (!lines.length) return null;
    const data = uPlot.join(lines.map((line) => [Array.from(line.times), Array.from(line.values)]));
    const style = getComputedStyle(place);
    const ink = style.color;
    const grid = { stroke: style.getPropertyValue("--lab-grid"), width: 1 };
    const axis = { stroke: ink, grid, ticks: grid, font: "12px sans-serif" };
    return new uPlot(
      {
        width,
        height: 170,
        scales: { x: { time: false }, y: { range: (_, low, high) => [0, high > 0 ? 1.05 * high : 1] } },
        axes: [{ ...axis, label: "time (s)", labelSize: 18, size: 36 }, { ...axis, size: 52 }],
        legend: { show: true, live: false },
        cursor: { drag: { x: true, y: false } },
        series: [
          { label: "time (s)" },
          ...lines.map((line) => ({
            label: line.kept ? `${line.label} (kept)` : line.label,
            stroke: COLOURS[line.i % COLOURS.length],
            width: line.kept ? 1 : 1.5,
            dash: line.kept ? [4, 3] : undefined,
            spanGaps: true,
            points: { show: false },
            paths: plot.key === "queue" || plot.key === "cwnd" ? uPlot.paths.stepped({ align: 1 }) : undefined,
          })),
        ],
      },
      data,
      place,
    );
  }

  // --- the panel

  function element(parent, tag, attributes = {}, text = "") {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  }

  function panel(container) {
    const settings = JSON.parse(container.querySelector("script").textContent);
    const identity = (name) => `lab-${settings.name}-${name}`;
    const asked = readAddress(settings);
    let state = asked.state ?? structuredClone(settings.state);
    let worker = null;
    let sent = null; // the scenario that runs
    let runs = []; // those that are shown: the last is the newest, one before it may be kept
    let drawn = [];

    const form = element(container, "form", { class: "lab-settings" });
    const senders = element(form, "fieldset");
    element(senders, "legend", {}, "senders");
    const selects = Array.from({ length: MOST_SENDERS }, (_, i) => {
      const select = element(senders, "select", { "aria-label": `sender ${i + 1}`, id: identity(`sender-${i + 1}`) });
      if (i > 0) element(select, "option", { value: "" }, "–");
      for (const [name, title] of Object.entries(settings.senders)) element(select, "option", { value: name }, title);
      return select;
    });
    const inputs = {};
    const path = element(form, "fieldset");
    element(path, "legend", {}, "path");
    for (const { name, label: words, options } of choicesOf(settings)) {
      const label = element(path, "label", { for: identity(name) }, words);
      inputs[name] = element(label, options ? "select" : "input", { id: identity(name), ...(options ? {} : { type: "text", size: "20", autocomplete: "off" }) });
      for (const [value, title] of Object.entries(options ?? {})) element(inputs[name], "option", { value }, title);
    }
    for (const field of fieldsOf(settings)) {
      const label = element(path, "label", { for: identity(field.name) }, field.label);
      inputs[field.name] = element(label, "input", {
        id: identity(field.name), type: "text", inputmode: "decimal", size: "8", autocomplete: "off",
        "aria-describedby": identity("status"),
      });
      if (field.unit) element(label, "span", { class: "unit" }, field.unit);
    }
    const buttons = element(form, "div", { class: "lab-buttons" });
    const start = element(buttons, "button", { type: "submit" }, "Simulate");
    const stop = element(buttons, "button", { type: "button", disabled: "" }, "Stop");
    const keep = element(buttons, "button", { type: "button", disabled: "", "aria-pressed": "false" }, "Keep for comparison");
    const reset = element(buttons, "button", { type: "button" }, "Default");
    const file = settings.opens ? element(element(buttons, "label", { for: identity("file") }, "Open a scenario (JSON)"), "input", { id: identity("file"), type: "file", accept: ".json,application/json" }) : null;
    const status = element(container, "p", { class: "lab-status", role: "status", id: identity("status") });
    const map = settings.orbit ? orbitMap() : null;
    const plots = element(container, "div", { class: "lab-plots" });
    const places = PLOTS.map(() => element(plots, "div", { class: "lab-plot" }));
    const table = element(container, "div", { class: "lab-counts" });
    const code = element(container, "details", { class: "lab-code" });
    element(code, "summary", {}, "The same run in Python and on the command line");
    const python = codeBlock(code, "Python", "");
    const json = codeBlock(code, "scenario.json, for: longfat simulate scenario.json --engine segment", "");

    function codeBlock(parent, title) {
      const head = element(parent, "p", { class: "lab-code-title" }, title);
      const copy = element(head, "button", { type: "button" }, "Copy");
      const pre = element(parent, "pre", { tabindex: "0", "aria-label": title });
      copy.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(pre.textContent);
          copy.textContent = "Copied";
        } catch {
          getSelection().selectAllChildren(pre); // no clipboard for pages from a disk: one may press copy
          copy.textContent = "Selected";
        }
        setTimeout(() => { copy.textContent = "Copy"; }, 2000);
      });
      return pre;
    }

    function orbitMap() {
      // The satellites and the path at a time that the reader chooses, or that runs.
      const box = element(container, "div", { class: "lab-map" });
      const canvas = element(box, "canvas", { role: "img", "aria-label": "map of the satellites and the path" });
      const controls = element(box, "div", { class: "lab-buttons" });
      const play = element(controls, "button", { type: "button", "aria-pressed": "false" }, "Play");
      const label = element(controls, "label", { for: identity("time") }, "time");
      const slider = element(label, "input", { id: identity("time"), type: "range", min: "0", step: "1", value: "0" });
      const words = element(box, "p", { class: "lab-map-words" });
      const draw = () => {
        const at = Math.min(Number(slider.value), state.duration);
        const shown = longfatOrbit.drawMap(canvas, settings, state, at);
        const over = shown.satellites.length === 1 ? "one satellite" : `${shown.satellites.length} satellites`;
        words.textContent = shown.satellites.length
          ? `At ${at} s the path is over ${over}${shown.station ? `, down at ${shown.station}` : ""}: ${(1000 * shown.delayS).toFixed(2)} ms one way.`
          : `At ${at} s there is no path.`;
        canvas.setAttribute("aria-label", `Map of the satellites and the path. ${words.textContent}`);
        drawn.forEach((plot) => plot?.setCursor({ left: plot.valToPos(at, "x"), top: 1 }));
      };
      let timer = null;
      const pause = () => {
        clearInterval(timer);
        timer = null;
        play.textContent = "Play";
        play.setAttribute("aria-pressed", "false");
      };
      play.addEventListener("click", () => {
        if (timer) {
          pause();
          return;
        }
        if (Number(slider.value) >= state.duration) slider.value = 0;
        play.textContent = "Pause";
        play.setAttribute("aria-pressed", "true");
        timer = setInterval(() => {
          slider.value = Number(slider.value) + 1;
          draw();
          if (Number(slider.value) >= Math.floor(state.duration)) pause();
        }, 100);
      });
      slider.addEventListener("input", draw);
      return { draw, setDuration: () => { slider.max = Math.floor(state.duration); } };
    }

    function show() {
      for (const part of [senders, path]) part.hidden = Boolean(state.scenario);
      selects.forEach((select, i) => { select.value = state.senders[i] ?? ""; });
      for (const { name } of [...choicesOf(settings), ...fieldsOf(settings)]) inputs[name].value = state[name];
      map?.setDuration();
      map?.draw();
      const text = JSON.stringify(scenarioOf(settings, state), null, 1);
      python.textContent = asPython(text);
      json.textContent = text;
    }

    function read() {
      // The form's state, or a sentence about what is wrong with it.
      if (state.scenario) return state;
      const chosen = { senders: selects.map((select) => select.value).filter((name) => name) };
      for (const { name } of choicesOf(settings)) chosen[name] = inputs[name].value;
      for (const field of fieldsOf(settings)) {
        const wrong = fault(field, inputs[field.name].value);
        inputs[field.name].setAttribute("aria-invalid", wrong ? "true" : "false");
        if (wrong) return wrong[0].toUpperCase() + wrong.slice(1);
        chosen[field.name] = Number(inputs[field.name].value);
      }
      const problem = settings.orbit ? longfatOrbit.problem(settings, chosen) : "";
      if (problem) return problem[0].toUpperCase() + problem.slice(1);
      return chosen;
    }

    function say(text) {
      status.textContent = text;
    }

    function busy(now) {
      start.disabled = now;
      stop.disabled = !now;
      keep.disabled = now || !runs.length;
      container.setAttribute("aria-busy", now);
    }

    function redraw() {
      drawn.forEach((one) => one?.destroy());
      drawn = PLOTS.map((plot, i) => (runs.length ? draw(places[i], plot, runs, places[i].clientWidth || 300) : null));
      map?.draw();
    }

    function count(result) {
      table.replaceChildren();
      const rows = element(table, "table");
      const head = element(element(rows, "thead"), "tr");
      for (const title of ["flow", "goodput (Mb/s)", "segments sent", "sent again", "recoveries", "timeouts"]) {
        element(head, "th", { scope: "col" }, title);
      }
      const body = element(rows, "tbody");
      for (const flow of result.answer.flows) {
        const row = element(body, "tr");
        element(row, "th", { scope: "row" }, flow.name);
        const goodput = (8 * flow.delivered_bytes) / state.duration / 1e6;
        for (const value of [goodput.toPrecision(4), flow.segments_sent, flow.retransmissions, flow.recoveries, flow.timeouts]) {
          element(row, "td", {}, String(value));
        }
      }
    }

    function finish(result) {
      busy(false);
      if (result.answer.error) {
        say(result.answer.error);
        return;
      }
      result.answer.flows.forEach((flow, i) => { flow.name = sent.flows[i].name || String(i); });
      const kept = keep.getAttribute("aria-pressed") === "true" ? runs.slice(0, 1) : [];
      runs = [...kept, { plots: seriesOf(result, { ...settings, links: sent.links, durationS: state.duration }), result }];
      keep.disabled = false;
      count(result);
      redraw();
      const events = result.answer.events.toLocaleString("en");
      const whose = state.scenario ? `The scenario of ${state.opened}: ` : "";
      say(`${whose}${state.duration} s simulated in ${result.wallS.toFixed(2)} s (${events} events).`);
      container.dispatchEvent(new CustomEvent("longfat-result", { detail: result }));
    }

    function halt() {
      worker?.terminate();
      worker = null;
      busy(false);
    }

    async function simulate() {
      const chosen = read();
      if (typeof chosen === "string") {
        say(chosen);
        return;
      }
      state = chosen;
      show();
      writeAddress(settings, state);
      busy(true);
      say(window.longfatEngine ? "Simulating …" : "Loading the engine …");
      let module;
      try {
        module = await loadEngine(settings.engine);
      } catch (error) {
        busy(false);
        say(`The engine could not be loaded: ${error.message}.`);
        return;
      }
      if (start.disabled === false) return; // it was stopped meanwhile
      worker ??= newWorker();
      worker.onmessage = ({ data }) => {
        if (data.simulatedS !== undefined) {
          say(`Simulating: ${data.simulatedS.toFixed(1)} of ${state.duration} s …`);
        } else if (data.failed !== undefined) {
          halt();
          say(`The simulation failed: ${data.failed.slice(0, 300)}`);
        } else {
          finish(data.result);
        }
      };
      worker.onerror = (event) => { halt(); say(`The simulation failed: ${event.message}`); };
      say("Simulating …");
      sent = scenarioOf(settings, state);
      worker.postMessage({ module, scenario: sent });
    }

    form.addEventListener("submit", (event) => { event.preventDefault(); simulate(); });
    stop.addEventListener("click", () => { halt(); say("Stopped."); start.focus(); });
    keep.addEventListener("click", () => {
      const now = keep.getAttribute("aria-pressed") !== "true";
      keep.setAttribute("aria-pressed", now);
      runs = runs.slice(-1);
      say(now ? "The next run is laid over this one, which is dashed." : "The next run stands alone.");
      redraw();
    });
    reset.addEventListener("click", () => { state = structuredClone(settings.state); show(); say("The default settings."); });
    file?.addEventListener("change", async () => {
      const [chosen] = file.files;
      if (!chosen) return;
      const { state: wanted, problem } = opened(structuredClone(settings.state), await chosen.text(), chosen.name);
      file.value = "";
      if (!wanted) { say(problem); return; }
      state = wanted;
      show();
      simulate();
    });
    form.addEventListener("change", (event) => {
      if (event.target === file) return;
      const chosen = read();
      if (typeof chosen === "string") {
        say(chosen);
      } else {
        state = chosen;
        show();
        say("");
      }
    });
    let width = 0;
    new ResizeObserver(() => {
      if (Math.abs(container.clientWidth - width) > 4) { width = container.clientWidth; redraw(); }
    }).observe(container);
    new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    window.addEventListener("hashchange", () => {
      const { state: wanted, problem } = readAddress(settings);
      if (wanted) { state = wanted; show(); simulate(); } else if (problem) { say(problem); }
    });

    container.simulate = (wanted) => { state = { ...state, ...wanted }; show(); return simulate(); };
    container.scenario = () => scenarioOf(settings, state);
    show();
    say(asked.problem);
    if (asked.state) {
      container.scrollIntoView();
      simulate();
    }
  }

  // Runs a scenario in the engine at that address: a promise of its { answer, numbers }.
  panel.run = async (address, scenario) => {
    const module = await loadEngine(address);
    const worker = newWorker();
    const ended = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.result) resolve(data.result);
        else if (data.failed) reject(new Error(data.failed));
      };
    });
    worker.postMessage({ module, scenario });
    return ended.finally(() => worker.terminate());
  };

  return panel;
})();

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".longfat-laboratory").forEach(longfatLaboratory);
});
