// SPDX-License-Identifier: GPL-2.0-only
//
// The core's interface in C: the same for a program (main.cc), for Python and wasmtime (wasm.py) and for
// JavaScript in a Web Worker.
//
//     char* text = longfat_alloc(bytes)             the scenario goes here: JSON, UTF-8, no end mark
//     Run* run = longfat_start(text, bytes)         builds it; never null; takes `text` back
//     longfat_error(run)                            what is wrong, a sentence, or ""
//     while (longfat_run(run, until_s, events))     runs up to that time, or so many events
//         ... longfat_now(run)                      seconds simulated so far: progress
//     longfat_answer(run)                           what was counted: JSON, ended by a zero
//     longfat_numbers(run), longfat_number_count    the series: doubles
//     longfat_end(run)                              frees it all
//     longfat_catalogue()                           the congestion controls that it has: JSON
//
// The scenario is what longfat.scenario writes (`Scenario.model_dump(mode="json")`, or `to_json`, which
// leaves out defaults). The answer's `flows` and `links` have their counts; a series in them is [first,
// count]: numbers[first], ... are `count` times in seconds, numbers[first + count], ... as many values.
// Where something is wrong the answer is {"error": sentence, "input": whether the scenario is to blame}.
// Runs do not know of each other. To stop one, do not call it again.
//
// In JavaScript the module needs nothing from outside; pointers are numbers:
//
//     const { instance } = await WebAssembly.instantiate(bytes, {});
//     const engine = instance.exports;
//     engine._initialize();
//     const scenario = new TextEncoder().encode(JSON.stringify(data));
//     const text = engine.longfat_alloc(scenario.length);
//     new Uint8Array(engine.memory.buffer).set(scenario, text);
//     const run = engine.longfat_start(text, scenario.length);
//     while (engine.longfat_run(run, Infinity, 100000)) postMessage(engine.longfat_now(run));
//     const answer = JSON.parse(readText(engine.longfat_answer(run)));  // up to the zero
//     const numbers = new Float64Array(engine.memory.buffer, engine.longfat_numbers(run),
//         engine.longfat_number_count(run)).slice();
//     engine.longfat_end(run);
//
// `memory.buffer` is another one after every call that may have let the memory grow: read it anew.
// A whole example is in tests/segment_wasm.mjs.

#ifndef LONGFAT_CORE_ENGINE_H
#define LONGFAT_CORE_ENGINE_H

#ifdef __wasm__
#define LONGFAT_EXPORT(name) extern "C" __attribute__((export_name(#name)))
#else
#define LONGFAT_EXPORT(name) extern "C"
#endif

struct LongfatRun;

LONGFAT_EXPORT(longfat_alloc) char* longfat_alloc(unsigned bytes);
LONGFAT_EXPORT(longfat_start) LongfatRun* longfat_start(char* text, unsigned bytes);
LONGFAT_EXPORT(longfat_error) const char* longfat_error(const LongfatRun* run);
LONGFAT_EXPORT(longfat_run) int longfat_run(LongfatRun* run, double until_s, double events);
LONGFAT_EXPORT(longfat_now) double longfat_now(const LongfatRun* run);
LONGFAT_EXPORT(longfat_answer) const char* longfat_answer(LongfatRun* run);
LONGFAT_EXPORT(longfat_numbers) const double* longfat_numbers(LongfatRun* run);
LONGFAT_EXPORT(longfat_number_count) unsigned longfat_number_count(LongfatRun* run);
LONGFAT_EXPORT(longfat_end) void longfat_end(LongfatRun* run);
LONGFAT_EXPORT(longfat_catalogue) const char* longfat_catalogue();
#ifdef __wasm__
/// After a trap: why it gave up, or "".
LONGFAT_EXPORT(longfat_last_words) const char* longfat_last_words();
#endif

#endif
