// The tests of `npm test` depend on nothing but the code: they measure no time, do not sleep, are not retried and have no limit that a slow machine
// exceeds. A line that needs the real clock for another purpose says why in a comment `// real time: …` on that line or the line before.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Rule {
  readonly problem: string;
  /** Matches within one statement, which may have several lines. A group `ms` is a limit that must be at least `minMs`. */
  readonly pattern: RegExp;
  readonly minMs?: number;
  /** Code that breaks the rule. */
  readonly broken: readonly string[];
  readonly fine: readonly string[];
}

const rules: Readonly<Record<string, Rule>> = {
  time: {
    problem: "measures time: count operations, or make it a benchmark",
    pattern:
      /\bperformance\.(now|timeOrigin|mark|measure|toJSON)\b|\bprocess\.(cpuUsage|hrtime|uptime)\b|\bconsole\.time\(|Date\.now\(\) *[-<>]|(?:[-<]|(?<!=)>)=? *Date\.now\(\)|\+new Date\(|new Date\(\) *-|- *new Date\(\)|Number\(new Date\(\)|new Date\(\)\.(getTime|valueOf)\(/g,
    broken: [
      "const start = performance.now();",
      "const start = performance.timeOrigin;",
      'performance.mark("start");',
      "const start = process.hrtime.bigint();",
      "const used = process.cpuUsage();",
      "const start = process.uptime();",
      'console.time("start");',
      "const ms = Date.now() - start;",
      "const left = end - Date.now();",
      "while (Date.now() < until);",
      "if (until <= Date.now()) break;",
      "const start = new Date().getTime();",
      "const start = new Date().valueOf();",
      "const start = +new Date();",
      "const start = Number(new Date());",
      "const ms = new Date() - start;",
      "const ms = end - new Date();",
    ],
    fine: [
      "const expired = Date.now() + 60_000;",
      "const edited = new Date(Date.now() + 5_000);",
      'vi.spyOn(Date, "now");',
      "const result = () => Date.now();",
    ],
  },
  sleep: {
    problem: "sleeps: wait for an event or poll for a condition",
    pattern:
      /(?<!["'`\w.])setTimeout\(|(?:globalThis|window|timers)\.setTimeout\(|\bsleep\(|\bAtomics\.wait\w*\((?:[^,;]+, ){3}|(?:\bsetTimeout\b|\bscheduler\b|\* as \w+)[^;\n]*"(?:node:)?timers\/promises"/g,
    broken: [
      "await new Promise((resolve) => setTimeout(resolve, 50));",
      "await new Promise((resolve) => setTimeout(() => resolve(1), 50));",
      'setTimeout(() => void put("x").then(() => socket.write("}")), 50);',
      "setTimeout(async () => {\n  await put();\n}, 50);",
      "globalThis.setTimeout(resolve, 50);",
      "await sleep(500);",
      'import { setTimeout as wait } from "node:timers/promises";',
      'const { setTimeout: wait } = require("timers/promises");',
      "Atomics.wait(cell, 0, 0, 90);",
    ],
    fine: [
      'const source = "setTimeout(() => 1, 1)";',
      'vi.useFakeTimers({ toFake: ["setTimeout"] });',
      "socket.setTimeout(0);",
      "Atomics.wait(cell, 0, 0);",
      'import { setImmediate } from "node:timers/promises";',
      "const pace = setInterval(() => socket.write(x), 200);",
    ],
  },
  retry: {
    problem: "is retried: find the reason why it fails",
    pattern: /^(?!.*\\n).*\bretry: \d|--retry/gm,
    broken: ['it("x", { retry: 2 }, run);', 'spawn("vitest", ["--retry=3"]);'],
    fine: ['const yaml = "a:\\n  retry: 2";'],
  },
  "page read once": {
    problem: "reads the page once, which may still change: use expect.poll",
    pattern: /expect\(await [^;]*?\.(count|allInnerTexts|innerText|textContent|is(Visible|Disabled|Enabled|Checked)|getAttribute|inputValue)\(/g,
    broken: ["expect(await page.locator('a').count()).toBe(1);"],
    fine: ["await expect.poll(() => page.locator('a').count()).toBe(1);"],
  },
  "short wait": {
    problem: "waits for less than 60 s, which a slow machine exceeds: omit the limit",
    pattern:
      /(?:\bexpect\s*\.poll|\bwaitFor\w*|\bwaitUntil|\.click|\.fill|\.hover|\.press)\((?:(?!;\n)[^\n])*?\{[^{}\n]*?\btimeout: (?<ms>[\d_]+)(?![\d_])|^ *\{ timeout: (?<option>[\d_]+)[^\n]*\},$|\b(?:eventually|waitFor|waitUntil)\([^\n]*, (?<limit>[\d_]+)\)[;.]|\b(?:eventually|waitFor|waitUntil)\(\n(?:(?!;\n)[^])*?,\n *(?<last>[\d_]+),?\n *\)/gm,
    minMs: 60_000,
    broken: [
      "await expect.poll(() => count, { timeout: 5_000 }).toBe(1);",
      "await expect.poll(() => count, { interval: 5, timeout: 5000 }).toBe(1);",
      "await expect\n  .poll(() => count, { timeout: 5_000 })\n  .toBe(1);",
      "await vi.waitFor(() => expect(count).toBe(1), { timeout: 30_000, interval: 5 });",
      "await vi.waitFor(\n  () => {\n    expect(count).toBe(1);\n  },\n  { timeout: 30_000 },\n);",
      "await vi.waitUntil(() => isReady, 1_000);",
      "await page.waitForSelector('a', { timeout: 10_000 });",
      "await page.click('a', { timeout: 10_000 });",
      "await eventually(() => isReady, 10_000);",
      "await eventually(() => isReady, 10_000).catch(() => undefined);",
      "await eventually(\n  async () => (await read()).isReady,\n  5_000,\n);",
    ],
    fine: [
      "await expect.poll(() => count, { timeout: 60_000 }).toBe(1);",
      "await eventually(() => isReady, 120_000);",
      "await eventually(() => isReady);\nit('x', run, 300_000);",
      "await expect.poll(() => count).toBe(1);\nconst options = { timeout: 5 };",
    ],
  },
  "short default wait": {
    problem: "waits for one second, the default of vitest: set `timeout`",
    pattern: /\bvi\.wait(?:For|Until)\((?:(?!\btimeout\b|, [\d_]+\);)[^\n])+$|\bvi\.wait(?:For|Until)\(\n(?:(?!\n *\);)[^])*?\n *\},\n *\);/gm,
    broken: [
      "await vi.waitFor(() => expect(count).toBe(1));",
      "await vi.waitUntil(() => isReady);",
      "await vi.waitFor(\n  () => {\n    expect(count).toBe(1);\n  },\n);",
    ],
    fine: [
      "await vi.waitFor(() => expect(count).toBe(1), { timeout: 60_000 });",
      "await vi.waitFor(\n  () => {\n    expect(count).toBe(1);\n  },\n  { timeout: 60_000 },\n);",
    ],
  },
  "short limit of a test": {
    problem: "has a limit below the default of 300 s, which a slow machine exceeds: omit the limit",
    pattern:
      /^ *\}(?:,\n *|, )(?<ms>[\d_]+),?\n? *\);$|^ *(?:it|test|describe|before(?:All|Each)|after(?:All|Each))\b(?:(?!;$)[^\n])*, (?<limit>[\d_]+)\);$|["'`], \{ (?:[^{}\n]*, )?timeout: (?<option>[\d_]+) \}, (?:async )?\(|\b(?:testTimeout|hookTimeout): (?<setting>[\d_]+)/gm,
    minMs: 300_000,
    broken: [
      'it("x", async () => {\n  await run();\n}, 60_000);',
      'it("x", async () => {\n  await run();\n}, 5000);',
      "await eventually(async () => {\n  await send();\n  return isReady;\n}, 10_000);",
      'it.skipIf(isMissing)(\n  "x (needs y)",\n  async () => {\n    await run();\n  },\n  60_000,\n);',
      'it("x", () => run(), 60_000);',
      "beforeAll(() => start(), 60_000);",
      'it("x", { timeout: 60_000 }, () => run());',
      'describe("x", { concurrent: true, timeout: 60_000 }, () => run());',
      "vi.setConfig({ testTimeout: 60_000 });",
    ],
    fine: ['it("x", async () => {\n  await run();\n}, 600_000);', 'it("x", { timeout: 300_000 + runs * 50 }, run);', 'it("x", () => run());'],
  },
};

/** The problems of a source, each with its line. */
function problemsOf(source: string): readonly string[] {
  const lines = source.split("\n");
  return Object.values(rules).flatMap(({ pattern, problem, minMs = Infinity }) =>
    [...source.matchAll(pattern)]
      .filter(({ groups = {} }) => Object.values(groups).every((ms) => ms === undefined || Number(ms.replaceAll("_", "")) < minMs))
      .map(({ index }) => source.slice(0, index).split("\n").length - 1)
      .filter((index) => !`${lines[index - 1] ?? ""}\n${lines[index]}`.includes("// real time: "))
      .map((index) => `${index + 1} ${problem}: ${lines[index]?.trim()}`),
  );
}

const isTest = (name: string): boolean =>
  (/^tests\/.*\.[cm]?[jt]sx?$/.test(name) || /\.test(-support)?\.[cm]?[jt]sx?$/.test(name)) && !/(^|\/)(long|faults|node_modules|dist)\//.test(name);
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name).replaceAll("\\", "/"));

describe.each(Object.entries(rules))("the rule '%s'", (_, { broken, fine, problem }) => {
  it.each(broken)("finds %j", (code) => {
    expect(problemsOf(`const before = 1;\n${code}\n`)).toContainEqual(expect.stringContaining(` ${problem}: `));
  });
  it.each(fine)("accepts %j", (code) => {
    expect(problemsOf(`${code}\n`)).toEqual([]);
  });
});

it("a comment with the reason exempts its line and the next one, not others", () => {
  expect(problemsOf("// real time: the pace of the load.\nawait sleep(5);\nawait sleep(6);\n")).toEqual([expect.stringMatching(/^3 sleeps: /)]);
  expect(problemsOf("await sleep(5); // real time: the pace of the load.\n")).toEqual([]);
});

it("looks at the files of tests, in every kind of module", () => {
  const names = ["tests/a.test.ts", "tests/a.ts", "tests/a.mjs", "tests/designer/a.cjs", "packages/cli/src/a.test.mjs", "packages/cli/src/a.test-support.ts"];
  expect(names.filter(isTest)).toEqual(names);
  expect(["tests/long/a.test.ts", "tests/faults/a.ts", "packages/cli/src/a.ts", "packages/cli/dist/a.test.js"].filter(isTest)).toEqual([]);
});

it("no test of npm test depends on the speed of the machine", () => {
  const own = ["tests/test-rules.test.ts", "tests/six-runs.mjs"];
  const files = [...filesIn("tests"), ...filesIn("packages"), ...filesIn("scripts")].filter((name) => isTest(name) && !own.includes(name));
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => problemsOf(readFileSync(join(root, file), "utf8")).map((problem) => `${file}:${problem}`))).toEqual([]);
});
