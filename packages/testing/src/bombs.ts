/** Actions that exceed a limit of a run, by kind. */

export type Bomb = {
  code: string;
  /** Names of the error that ends the run. */
  errors: readonly [string, ...string[]];
  /**
   * How to tell when the limit was exceeded. `time`: at the timeout. `memory`: when the process has more than the watched
   * limit. `logged`: at the time in the last line of the logs, in Unix milliseconds.
   */
  exceeds: 'time' | 'memory' | 'logged';
};

const main = (body: string) =>
  `const kept = []; async function main({ url = 'http://127.0.0.1:9/' }) { ${body} }`;

const time = { exceeds: 'time', errors: ['TimeLimitError'] } as const;
// Refused memory can also be an error of the language.
const memory = { exceeds: 'memory', errors: ['MemoryLimitError', 'RangeError'] } as const;
const logged = (...errors: [string, ...string[]]) => ({ exceeds: 'logged', errors }) as const;

export const bombs: Record<string, Bomb> = {
  'endless loop': { ...time, code: main('for (;;);') },
  'endless promises': { ...time, code: main('for (;;) await null;') },
  'regular expression': { ...time, code: main('/^(a+)+$/.test("a".repeat(50) + "b")') },
  heap: { ...memory, code: main('for (;;) kept.push(new Array(1e5).fill(kept.length + 0.5))') },
  'array buffers': { ...memory, code: main('for (;;) kept.push(new Uint8Array(1e6).fill(1))') },
  WebAssembly: {
    ...memory,
    code: main(`const memory = new WebAssembly.Memory({ initial: 1 });
      for (;;) { memory.grow(16); new Uint8Array(memory.buffer).fill(1); }`),
  },
  strings: { ...memory, code: main('for (;;) kept.push("x".repeat(1e5) + kept.length + Math.random())') },
  'promise flood': { ...memory, code: main('for (;;) kept.push(new Promise(() => {}).then(() => kept))') },
  'timer flood': {
    ...memory,
    code: main(`const flood = () => { for (let i = 0; i < 1e4; i++) setTimeout(flood, 1e6 - i); setTimeout(flood, 0); };
      flood(); await new Promise(() => {});`),
  },
  'log flood': {
    ...logged('ConsoleLimitError'),
    code: main('for (;;) console.log(Date.now() + "x".repeat(1e4))'),
  },
  'frame flood': {
    ...logged('ConsoleLimitError'),
    code: main('for (let i = 1; ; i++) { console.log(Date.now()); if (i % 100 === 0) await null; }'),
  },
  'huge response': {
    ...logged('ResponseLimitError'),
    code: main('console.log(Date.now()); return "x".repeat(5e6)'),
  },
  'deep recursion': {
    ...logged('RangeError'),
    code: main('const deeper = () => deeper() + 1; console.log(Date.now()); return deeper()'),
  },
  'many fetches': {
    ...logged('FetchLimitError'),
    code: main(
      'for (;;) { console.log(Date.now()); await Promise.race([fetch(url).catch(() => {}), null]); }',
    ),
  },
};
