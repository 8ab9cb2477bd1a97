// Every benchmark is a documented command with a usage text, and the comparison with a baseline reports what got worse. Figures of this machine
// are not checked here: see bench-budgets.test.ts.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sluice-bench-commands-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface ProcessResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (...parameters: string[]): Promise<ProcessResult> =>
  new Promise((resolve) => {
    execFile(process.execPath, parameters, { cwd: root }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const commands = Object.entries(scripts).filter(([name]) => name.startsWith("bench:"));
const filesOf = (command: string): string[] => [...command.matchAll(/bench\/[\w-]+\.mjs/g)].map(([file]) => file);

describe("benchmarks", () => {
  it("are all documented commands", () => {
    const documented = readFileSync(join(root, "docs/performance.md"), "utf8");
    expect(commands.filter(([name]) => !documented.includes(`npm run ${name}\``))).toEqual([]);
    const files = readdirSync(join(root, "bench")).filter((file) => file.endsWith(".mjs"));
    expect(commands.flatMap(([, command]) => filesOf(command)).toSorted()).toEqual(files.map((file) => `bench/${file}`).toSorted());
  });

  it("print their usage with --help, and reject unknown arguments", async () => {
    // Starting all benchmarks would be expensive; they share the argument parser.
    for (const [name, command] of commands)
      for (const file of filesOf(command))
        expect(readFileSync(join(root, file), "utf8")).toMatch(new RegExp(`\\b(?:numbersOf|roundsOf|endWithUsage)\\("${name.slice("bench:".length)}"`));
    const usage = "usage: npm run bench:webhook -- [rounds] (default 12) [seconds per round] (default 1)\n";
    expect(await run("bench/webhook.mjs", "--help")).toEqual({ status: 0, stdout: usage, stderr: "" });
    for (const wrong of [["many"], ["0"], ["1", "1", "1"]]) expect(await run("bench/webhook.mjs", ...wrong)).toEqual({ status: 2, stdout: "", stderr: usage });
    expect((await run("bench/compare.mjs", "--help")).stdout).toMatch(/^usage: npm run bench:compare -- .* engine hot-path expressions /);
  }, 60_000);

  it("soak finds that the runtime counts as many calls as its clients", async () => {
    const { status, stdout } = await run("bench/soak.mjs", "8", "3", "500", "150");
    const report = JSON.parse(stdout.trim().split("\n").at(-1) as string);
    expect([status, report.errors]).toEqual([0, []]);
    expect(report.calls).toBeGreaterThan(50);
    expect(report.deploys).toBeGreaterThan(0);
    expect(report.hungUp * report.invalid * report.queued).toBeGreaterThan(0);
  }, 120_000);

  it("have baselines only for existing commands", () => {
    const { benches } = JSON.parse(readFileSync(join(root, "bench/baseline.json"), "utf8")) as { benches: Record<string, { command: string[] }> };
    for (const [name, { command }] of Object.entries(benches)) expect(filesOf(scripts[`bench:${name}`] ?? "")).toEqual([command[0]]);
  });
});

/** A benchmark that prints the next value in each run, and the last value in all later runs. */
function figures(name: string, ...values: readonly number[]): readonly string[] {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(
    file,
    `import { existsSync, readFileSync, writeFileSync } from "node:fs";
const seen = existsSync(${JSON.stringify(`${file}.runs`)}) ? Number(readFileSync(${JSON.stringify(`${file}.runs`)}, "utf8")) : 0;
writeFileSync(${JSON.stringify(`${file}.runs`)}, String(seen + 1));
const values = ${JSON.stringify(values)};
console.log("for people");
console.log(JSON.stringify({ bench: "x", a: { ratio: values[Math.min(seen, values.length - 1)] } }));
`,
  );
  return [file];
}
const runsOf = (name: string): number => Number(readFileSync(join(folder, `${name}.mjs.runs`), "utf8"));

async function compare(benches: Record<string, unknown>, ...parameters: string[]): Promise<ProcessResult & { readonly file: string }> {
  const file = join(folder, "baseline.json");
  writeFileSync(file, JSON.stringify({ margin: 0.25, benches }));
  return { ...(await run("bench/compare.mjs", "--baseline", file, ...parameters)), file };
}

describe("bench:compare", () => {
  it("fails only for figures that are consistently worse by more than the margin, in either direction", async () => {
    const benches = {
      same: { command: figures("same", 2.4), less: { "a.ratio": 2 } },
      noisy: { command: figures("noisy", 9, 2.1), less: { "a.ratio": 2 } },
      slower: { command: figures("slower", 2.6), less: { "a.ratio": 2 } },
      fewer: { command: figures("fewer", 0.5), more: { "a.ratio": 0.9 } },
      wide: { command: figures("wide", 2.9), margin: 0.5, less: { "a.ratio": 2 } },
    };
    const { status, stdout } = await compare(benches, "all");
    expect(status).toBe(1);
    const rows = stdout.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    const row = (name: string) => rows.find((cells) => cells[1] === name)?.slice(2, 7);
    expect(row("same")).toEqual(["a.ratio", "2.00", "2.40", "20% worse", "ok"]);
    expect(row("noisy")).toEqual(["a.ratio", "2.00", "2.10", "5% worse", "ok"]);
    expect(row("slower")).toEqual(["a.ratio", "2.00", "2.60", "30% worse", "WORSE"]);
    expect(row("fewer")).toEqual(["a.ratio", "0.90", "0.50", "80% worse", "WORSE"]);
    expect(row("wide")?.at(-1)).toBe("ok");
    expect([runsOf("same"), runsOf("noisy"), runsOf("slower")]).toEqual([1, 2, 3]);
    expect(JSON.parse(stdout.trim().split("\n").at(-1) as string).figures[2]).toEqual({ bench: "slower", figure: "a.ratio", baseline: 2, now: 2.6 });
  }, 60_000);

  it("runs the quick benchmarks by default, and succeeds when nothing is worse", async () => {
    const benches = {
      quick: { command: figures("quick", 1), isQuick: true, less: { "a.ratio": 1 } },
      slow: { command: figures("slow", 9), less: { "a.ratio": 1 } },
    };
    const { status, stdout } = await compare(benches);
    expect([status, stdout.includes("quick"), stdout.includes("slow"), existsSync(join(folder, "slow.mjs.runs"))]).toEqual([0, true, false, false]);
    expect((await compare(benches, "other")).status).toBe(2);
  }, 60_000);

  it("skips benchmarks that cannot run on this machine, and fails for a broken benchmark", async () => {
    const unavailable = await compare({ peer: { command: ["-e", "process.exit(3)"], less: { ratio: 1 } } }, "all");
    expect([unavailable.status, unavailable.stdout.includes("cannot be measured here")]).toEqual([0, true]);
    const broken = await compare({ broken: { command: ["-e", "throw new Error('no server')"], less: { ratio: 1 } } }, "all");
    expect([broken.status, broken.stderr.includes("no server")]).toEqual([1, true]);
    const silent = await compare({ silent: { command: figures("silent", 1), less: { "b.ratio": 1 } } }, "all");
    expect([silent.status, silent.stderr.includes("reports no b.ratio")]).toEqual([1, true]);
  }, 60_000);

  it("writes the medians of three runs", async () => {
    const { status, file } = await compare({ one: { command: figures("one", 3, 1, 2), less: { "a.ratio": 7 } } }, "--write", "all");
    expect([status, JSON.parse(readFileSync(file, "utf8")).benches.one.less]).toEqual([0, { "a.ratio": 2 }]);
  }, 60_000);
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
  for (const pid of JSON.parse(String(pids)) as number[]) await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 10_000);
  expect(readdirSync(folder).filter((name) => name.startsWith("sluice-bench-"))).toEqual([]);
}, 60_000);
