// Runs a scenario on the WebAssembly module, as a page's worker would:
//     node segment_wasm.mjs engine.wasm <scenario.json >answer.json
// The answer is one JSON object, with each series as [times, values].

import { readFileSync } from "node:fs";

/** The engine, from the bytes of its module. It imports nothing. */
export async function load(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  instance.exports._initialize();
  return instance.exports;
}

/** The text at a pointer, up to the zero that ends it. */
function readText(engine, pointer) {
  const bytes = new Uint8Array(engine.memory.buffer, pointer);
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}

/** Run a scenario; `progress` is told the simulated seconds so far. */
export function simulate(engine, scenario, progress = () => {}, eventsAtOnce = 100000) {
  const bytes = new TextEncoder().encode(JSON.stringify(scenario));
  const text = engine.longfat_alloc(bytes.length);
  new Uint8Array(engine.memory.buffer).set(bytes, text);
  const run = engine.longfat_start(text, bytes.length);
  while (engine.longfat_run(run, Infinity, eventsAtOnce)) {
    progress(engine.longfat_now(run));
  }
  const answer = JSON.parse(readText(engine, engine.longfat_answer(run)));
  const first = engine.longfat_numbers(run);
  const numbers = new Float64Array(engine.memory.buffer, first, engine.longfat_number_count(run));
  for (const carrier of [...(answer.flows ?? []), ...(answer.links ?? [])]) {
    for (const [name, [begin, count]] of Object.entries(carrier.series)) {
      const at = (i) => Array.from(numbers.slice(i, i + count));
      carrier.series[name] = [at(begin), at(begin + count)];
    }
  }
  engine.longfat_end(run);
  return answer;
}

if (process.argv[2]) {
  const engine = await load(readFileSync(process.argv[2]));
  process.stdout.write(JSON.stringify(simulate(engine, JSON.parse(readFileSync(0, "utf8")))));
}
