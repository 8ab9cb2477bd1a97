// Every benchmark ends with its figures in a short run. A ratio fails only if it is beyond twice its budget in three runs out of three: the
// budgets themselves are checked with `npm run bench:check` on a quiet machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";
import { budgetLine, checkBudgets, readBudgets } from "../../bench/lib/budgets.mjs";
import { figuresAt } from "../../bench/lib/figures.mjs";
import { runBenchmark } from "../../bench/lib/measure.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sluice-benchmarks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tolerance = 2;
/** Three runs on a machine that is busy. */
const timeoutMs = 1_800_000;

/** These run other benchmarks. */
const commands = ["check.mjs", "compare.mjs"];
const benchmarks = readdirSync(join(root, "bench")).filter((file) => file.endsWith(".mjs") && !commands.includes(file));
const needs: Record<string, string> = {
  "cluster.mjs": "nats-server",
  "connectors.mjs": "databases and brokers",
  "designer-speed.mjs": "Chromium",
  "node-red.mjs": "the npm registry",
  "policy.mjs": "Linux",
  "versions.mjs": "Linux",
  "workers.mjs": "Linux",
};
const titleOf = (file: string): string => (needs[file] === undefined ? file : `${file} (needs ${needs[file]})`);

/** All numbers among the figures, as `path value`. */
function numbersIn(figures: object, path = ""): readonly string[] {
  return Object.entries(figures).flatMap(([name, value]) => {
    if (typeof value === "object" && value !== null) return numbersIn(value, `${path}${name}.`);
    return typeof value === "number" ? [`${path}${name} ${value.toFixed(2)}`] : [];
  });
}

/** The figures that compare two measurements of one run; all figures if there are none. */
function shownFigures(figures: object): readonly string[] {
  const numbers = numbersIn(figures);
  const ratios = numbers.filter((line) => /(?:ratio|times|share|byCpu|cost) [\d.]+$/i.test(line));
  return ratios.length > 0 ? ratios : numbers;
}

describe("a short run ends with figures", () => {
  for (const file of benchmarks)
    it(
      titleOf(file),
      async ({ skip }) => {
        const run = (): Promise<{ result?: any; unavailable?: string }> => runBenchmark([`bench/${file}`, "--short"]);
        const first = await run();
        if (first.result === undefined) return skip(first.unavailable);
        const { bench } = first.result;
        const shown = shownFigures(first.result);
        expect(shown).not.toEqual([]);
        console.log([bench, ...shown].join("\n  "));
        const max: Record<string, number> = readBudgets()[bench]?.max ?? {};
        const runs = [first.result];
        const measure = async () => figuresAt(runs.pop() ?? (await run()).result, Object.keys(max));
        for (const figure of (await checkBudgets(measure, max, tolerance)) ?? []) expect(figure.isWithin, budgetLine(bench, figure)).toBe(true);
      },
      timeoutMs,
    );
});

it("a benchmark without figures, with an error or with a stack trace in its output fails; one that lacks something says what", async () => {
  const run = (code: string) => runBenchmark(["-e", code]);
  const figures = `console.log('{"bench":"x","ratio":1}');`;
  expect(await run(figures)).toEqual({ result: { bench: "x", ratio: 1 } });
  expect(await run(`${figures} process.exitCode = 4`)).toEqual({ result: { bench: "x", ratio: 1 } });
  expect(await run("console.error('needs a server'); process.exit(3)")).toEqual({ unavailable: "needs a server" });
  await expect(run("console.log('nothing')")).rejects.toThrow("printed no result");
  await expect(run("throw new Error('no server')")).rejects.toThrow("no server");
  await expect(run(`${figures} process.exitCode = 1`)).rejects.toThrow("failed with exit code 1");
  await expect(run(`${figures} console.error(new Error("reset"))`)).rejects.toThrow("printed a stack trace");
});

it("bench:compare measures a benchmark and prints its figures beside a baseline", async () => {
  const baseline = join(folder, "baseline.json");
  writeFileSync(baseline, JSON.stringify({ margin: 1_000, benches: { engine: { command: ["bench/engine.mjs", "--short"], less: { ratio: 1 } } } }));
  const { result } = await runBenchmark(["bench/compare.mjs", "--baseline", baseline, "engine"]);
  expect(result).toEqual({ bench: "compare", figures: [{ bench: "engine", figure: "ratio", baseline: 1, now: expect.any(Number) }] });
});

it("an interrupted benchmark removes its servers and folders", async () => {
  const script = `import { startBare, startSluice } from "${root}bench/lib/processes.mjs";
console.log(JSON.stringify([(await startBare("webhook")).child.pid, (await startSluice()).child.pid]));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: folder },
  });
  const [pids] = (await once(child.stdout, "data")) as [Buffer];
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([130, null]);
  for (const pid of JSON.parse(String(pids)) as number[]) await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 60_000);
  expect(readdirSync(folder).filter((name) => name.startsWith("sluice-bench-"))).toEqual([]);
});
