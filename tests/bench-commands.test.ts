// Every benchmark is a documented command with a usage text and a short run; budgets and baselines judge the figures of up to three runs. The benchmarks
// themselves run in tests/long/benchmarks.test.ts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { compareFigures, updateFigures } from "../bench/lib/baseline.mjs";
import { checkBudgets, readBudgets } from "../bench/lib/budgets.mjs";
import { figuresAt } from "../bench/lib/figures.mjs";
import { readArguments, readNumbers } from "../bench/lib/usage.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const readText = (file: string): string => readFileSync(join(root, file), "utf8");
const { scripts } = JSON.parse(readText("package.json")) as { scripts: Record<string, string> };
const commands = Object.entries(scripts).filter(([name]) => name.startsWith("bench:"));
const filesOf = (command: string): string[] => [...command.matchAll(/bench\/[\w-]+\.mjs/g)].map(([file]) => file);
const baselines = () => (JSON.parse(readText("bench/baseline.json")) as { benches: Record<string, { command: string[] }> }).benches;

describe("benchmarks", () => {
  it("are all documented commands", () => {
    const documented = readText("docs/performance.md");
    expect(commands.filter(([name]) => !documented.includes(`npm run ${name}\``))).toEqual([]);
    const files = readdirSync(join(root, "bench")).filter((file) => file.endsWith(".mjs"));
    expect(commands.flatMap(([, command]) => filesOf(command)).toSorted()).toEqual(files.map((file) => `bench/${file}`).toSorted());
  });

  it("all read their arguments with the shared parser, which requires a short run", () => {
    const withoutShortRun = ["bench:check", "bench:compare"];
    for (const [name, command] of commands)
      for (const file of filesOf(command)) {
        const parsers = withoutShortRun.includes(name) ? "endWithUsage" : "numbersOf|argumentsOf|roundsOf";
        expect(readText(file)).toMatch(new RegExp(`\\b(?:${parsers})\\(\\s*"${name.slice("bench:".length)}"`));
      }
  });

  it("have budgets and baselines only for existing commands, whose arguments are not those of a short run", () => {
    const judged = [...Object.entries<{ command: string[] }>(readBudgets()), ...Object.entries(baselines())];
    expect(judged.length).toBeGreaterThan(10);
    for (const [name, { command }] of judged) {
      expect(filesOf(scripts[`bench:${name}`] ?? "")).toEqual([command[0]]);
      expect(command).not.toContain("--short");
    }
  });
});

describe("the arguments of a benchmark", () => {
  const parameters = [
    { name: "rounds", usual: 12, short: 2 },
    { name: "seconds", usual: 1, short: 0.2, min: 0.1 },
  ];
  const read = (...values: string[]) => readArguments(values, { short: ["2", "0.2"], read: (given: string[]) => readNumbers(given, parameters) });

  it("are numbers by position, their usual values, or those of a short run", () => {
    expect([read(), read("3"), read("3", "0.5"), read("--short")]).toEqual([
      [12, 1],
      [3, 1],
      [3, 0.5],
      [2, 0.2],
    ]);
  });

  it("are rejected when they are no numbers, too small or too many", () => {
    for (const wrong of [["many"], ["0"], ["1", "0"], ["1", "1", "1"], ["--short", "1"], ["--help"], ["-h"], ["--long"]])
      expect(read(...wrong)).toBeUndefined();
  });
});

/** Measures these values in turn, and the last value ever after. */
function figures(...values: readonly number[]): { runs: number; measure: () => Promise<Record<string, number>> } {
  const measured = {
    runs: 0,
    measure: async () => ({ "a.ratio": values[Math.min(measured.runs++, values.length - 1)] as number }),
  };
  return measured;
}
const unavailable = async () => undefined;

describe("a budget", () => {
  it("is exceeded only by a figure beyond its limit in three runs out of three", async () => {
    const check = async (tolerance: number, ...values: number[]) => {
      const measured = figures(...values);
      const checked = await checkBudgets(measured.measure, { "a.ratio": 2 }, tolerance);
      return [checked?.[0]?.isWithin, measured.runs];
    };
    expect(await check(1, 2)).toEqual([true, 1]);
    expect(await check(1, 3, 2.1, 1.9)).toEqual([true, 3]);
    expect(await check(1, 2.1)).toEqual([false, 3]);
    expect(await check(2, 4)).toEqual([true, 1]);
    expect(await check(2, 4.1)).toEqual([false, 3]);
    expect(await checkBudgets(unavailable, { "a.ratio": 2 })).toBeUndefined();
  });

  it("needs a figure that the benchmark reports", () => {
    expect(figuresAt({ bench: "x", a: { ratio: 2 } }, ["a.ratio"])).toEqual({ "a.ratio": 2 });
    expect(() => figuresAt({ bench: "x", a: { ratio: 2 } }, ["b.ratio"])).toThrow("x reports no b.ratio");
  });
});

describe("the comparison with a baseline", () => {
  it("fails only for figures that are consistently worse by more than the margin, in either direction", async () => {
    const compare = async (bench: object, margin: number, ...values: number[]) => {
      const measured = figures(...values);
      const [figure] = (await compareFigures(measured.measure, bench, margin)) ?? [];
      return [figure?.now, Math.round((figure?.worse ?? 0) * 100), figure?.isWorse, measured.runs];
    };
    expect(await compare({ less: { "a.ratio": 2 } }, 0.25, 2.4)).toEqual([2.4, 20, false, 1]);
    expect(await compare({ less: { "a.ratio": 2 } }, 0.25, 9, 2.1)).toEqual([2.1, 5, false, 2]);
    expect(await compare({ less: { "a.ratio": 2 } }, 0.25, 2.6)).toEqual([2.6, 30, true, 3]);
    expect(await compare({ more: { "a.ratio": 0.9 } }, 0.25, 0.5)).toEqual([0.5, 80, true, 3]);
    expect(await compare({ less: { "a.ratio": 2 } }, 0.5, 2.9)).toEqual([2.9, 45, false, 1]);
    expect(await compareFigures(unavailable, { less: { "a.ratio": 2 } }, 0.25)).toBeUndefined();
  });

  it("is replaced by the medians of three runs", async () => {
    const bench = { less: { "a.ratio": 7 } };
    expect(await updateFigures(figures(3, 1, 2).measure, bench)).toEqual([{ path: "a.ratio", baseline: 7, now: 2 }]);
    expect(bench).toEqual({ less: { "a.ratio": 2 } });
  });
});
