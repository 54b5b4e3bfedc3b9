// Draws an explorer (longfat.book.explorer): sliders, curves as SVG, and the values in words.
// `settings` has its inputs, curves and axes; `model` maps the inputs to every value by name.

// Bisection to the last digit. It is `high` where f stays negative.
const root = (f, low, high) => {
  if (!(f(high) > 0)) {
    return high;
  }
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) {
      return high;
    }
    if (f(middle) > 0) {
      high = middle;
    } else {
      low = middle;
    }
  }
};

// What `start` becomes by `step`, which also gets how often, counted from 1.
const repeated = (step, start, count) => {
  let value = start;
  for (let number = 1; number <= count; number++) {
    value = step(value, number);
  }
  return value;
};

// Powers of ten, in characters: an axis of SVG has no other way.
const RAISED = { "-": "⁻", ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((one, n) => [n, one])) };

const rounded = (value, digits) => {
  if (!Number.isFinite(value)) {
    return "none";
  }
  const short = Number(value.toPrecision(digits));
  if (short === 0 || (Math.abs(short) >= 0.01 && Math.abs(short) < 1e6)) {
    return String(short);
  }
  const [factor, power] = short.toExponential().split("e");
  const ten = "10" + [...String(Number(power))].map((one) => RAISED[one]).join("");
  return factor === "1" ? ten : `${factor} × ${ten}`;
};

const element = (parent, tag, attributes = {}, text = "") => {
  const svg = ["svg", "path", "text", "line", "circle", "g"].includes(tag);
  const made = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  made.textContent = text;
  parent.append(made);
  return made;
};

// An axis: from a value to a place between 0 and 1, and the values that get a mark.
const makeAxis = (scale, low, high) => {
  if (scale === "log") {
    const [from, to] = [Math.log10(low), Math.log10(high)];
    const step = Math.max(1, Math.ceil((to - from) / 7));
    const marks = [];
    for (let power = Math.ceil(from - 1e-9); power <= to + 1e-9; power += step) {
      marks.push(Number(`1e${power}`));
    }
    return { place: (value) => (Math.log10(value) - from) / (to - from), marks };
  }
  const rough = (high - low) / 6;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough);
  const marks = [];
  for (let mark = Math.ceil(low / step - 1e-9) * step; mark <= high * (1 + 1e-9); mark += step) {
    marks.push(mark);
  }
  return { place: (value) => (value - low) / (high - low), marks };
};

const longfatExplorer = (settings, model) => {
  const SAMPLES = 240; // of a curve
  const DASHES = ["none", "9 4", "2 3", "9 3 2 3"];

  const calculate = (values) => model(values, { root, repeated });
  const xInput = settings.inputs.find((input) => input.name === settings.x);
  const start = Object.fromEntries(settings.inputs.map((input) => [input.name, input.value]));

  const positions = (input) => (input.whole ? input.high - input.low : 200); // of a slider
  const at = (input, part) => {
    const value =
      input.scale === "log"
        ? input.low * (input.high / input.low) ** part
        : input.low + (input.high - input.low) * part;
    const inRange = Math.min(input.high, Math.max(input.low, value));
    return input.whole ? Math.round(inRange) : inRange;
  };
  const sampled = (values) => {
    const rows = [];
    for (let number = 0; number <= SAMPLES; number++) {
      rows.push(calculate({ ...values, [settings.x]: at(xInput, number / SAMPLES) }));
    }
    return rows;
  };
  const worded = (input, value) => `${rounded(value, 4)} ${input.unit}`.trim();

  const build = (container) => {
    const state = { ...start };
    const atStart = sampled(start);
    const svg = element(container, "svg", { role: "img" });
    const inputs = element(container, "div", { class: "explorer-inputs" });
    const output = element(container, "output");
    const button = element(container, "button", { type: "button" }, "Back to the first values");

    const sliders = settings.inputs.map((input) => {
      const id = `${settings.name}-${input.name}`;
      const row = element(inputs, "div");
      const label = element(row, "label", { for: id }, `${input.label} `);
      const shown = element(label, "b", { "aria-hidden": "true" });
      const range = element(row, "input", { id, type: "range", min: 0, max: positions(input) });
      range.addEventListener("input", () => {
        const value = at(input, range.valueAsNumber / positions(input));
        state[input.name] = Number(value.toPrecision(3));
        draw();
      });
      return { input, shown, range };
    });
    button.addEventListener("click", () => {
      Object.assign(state, start);
      draw();
    });

    const draw = () => {
      for (const { input, shown, range } of sliders) {
        const axis = makeAxis(input.scale, input.low, input.high);
        range.value = Math.round(positions(input) * axis.place(state[input.name]));
        range.setAttribute("aria-valuetext", worded(input, state[input.name]));
        shown.textContent = worded(input, state[input.name]);
      }
      const here = calculate(state);
      const values = settings.curves.map((c) => `${c.label} ${rounded(here[c.name], 4)}`);
      const given = settings.inputs.map((i) => `${i.label} ${worded(i, state[i.name])}`);
      output.textContent = `${settings.yLabel}: ${values.join("; ")}. At ${given.join(", ")}.`;
      plot(sampled(state), here);
    };

    const plot = (rows, here) => {
      const width = Math.max(280, container.clientWidth - 32);
      const narrow = width < 520; // a telephone: the legend has the whole width, a line for each
      const [left, right, bottom] = [62, 12, 44];
      const top = 12 + 18 * (settings.curves.length + (narrow ? 1 : 0));
      const height = Math.max(Math.round(0.5 * width), top + 190 + bottom);
      const all = [...rows, ...atStart].flatMap((row) => settings.curves.map((c) => row[c.name]));
      const log = settings.yScale === "log";
      const usable = all.filter((value) => Number.isFinite(value) && (!log || value > 0));
      const highest = Math.max(...usable);
      const lowest = log ? Math.min(...usable) : Math.min(0, ...usable);
      const xAxis = makeAxis(xInput.scale, xInput.low, xInput.high);
      const yAxis = log
        ? makeAxis("log", 10 ** Math.floor(Math.log10(lowest)), 10 ** Math.ceil(Math.log10(highest)))
        : makeAxis("linear", lowest, highest * 1.05 || 1);
      const x = (value) => left + (width - left - right) * xAxis.place(value);
      const y = (value) => height - bottom - (height - bottom - top) * yAxis.place(value);

      svg.replaceChildren();
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      svg.setAttribute(
        "aria-label",
        `${settings.yLabel} over ${xInput.label}: ${settings.curves.map((c) => c.label).join(", ")}`,
      );
      for (const mark of yAxis.marks) {
        element(svg, "path", { class: "grid", d: `M${left} ${y(mark)}H${width - right}` });
        const anchor = { x: left - 6, y: y(mark) + 4, "text-anchor": "end" };
        element(svg, "text", anchor, rounded(mark, 4));
      }
      for (const mark of xAxis.marks) {
        element(svg, "path", { class: "grid", d: `M${x(mark)} ${top}V${height - bottom}` });
        const anchor = { x: x(mark), y: height - bottom + 16, "text-anchor": "middle" };
        element(svg, "text", anchor, rounded(mark, 4));
      }
      const frame = `M${left} ${top}V${height - bottom}H${width - right}`;
      element(svg, "path", { class: "axis", d: frame });
      const middle = { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" };
      const unit = xInput.unit ? ` (${xInput.unit})` : "";
      element(svg, "text", middle, `${xInput.label}${unit}`);
      const yMiddle = (top + height - bottom) / 2;
      const turned = { transform: `translate(13 ${yMiddle}) rotate(-90)`, "text-anchor": "middle" };
      element(svg, "text", turned, settings.yLabel);

      const path = (points, name) => {
        let pen = "M";
        let d = "";
        for (const row of points) {
          const value = row[name];
          if (Number.isFinite(value) && (!log || value > 0)) {
            d += `${pen}${x(row[settings.x]).toFixed(2)} ${y(value).toFixed(2)}`;
            pen = "L";
          } else {
            pen = "M";
          }
        }
        return d;
      };
      settings.curves.forEach((curve, number) => {
        const look = `stroke: var(--line-${number}); stroke-dasharray: ${DASHES[number]}`;
        element(svg, "path", { class: "first", d: path(atStart, curve.name) });
        element(svg, "path", {
          class: "curve",
          "data-curve": curve.name,
          style: look,
          d: path(rows, curve.name),
        });
        const dot = { cx: x(here[settings.x]), cy: y(here[curve.name]), r: 4.5 };
        if (Number.isFinite(dot.cy)) {
          element(svg, "circle", { ...dot, style: `fill: var(--line-${number})` });
        }
        const line = 12 + 18 * number;
        const begin = narrow ? 2 : left;
        element(svg, "path", { class: "curve", style: look, d: `M${begin} ${line}h30` });
        element(svg, "text", { x: begin + 36, y: line + 4 }, curve.label);
      });
      const first = narrow
        ? { x: 38, y: top - 14 }
        : { x: width - right, y: 16, "text-anchor": "end" };
      element(svg, "text", first, "dotted: at the first values");
    };

    draw();
    let width = container.clientWidth;
    new ResizeObserver(() => {
      if (container.clientWidth !== width) {
        width = container.clientWidth;
        draw();
      }
    }).observe(container);
    container.calculate = calculate; // for the tests
  };

  // A page may hold the same explorer twice, and a notebook runs the script at every display.
  for (const container of document.querySelectorAll(`[data-explorer="${settings.name}"]`)) {
    if (!container.querySelector("svg")) {
      build(container);
    }
  }
};
