// The commands that start processes: what they say if they cannot start, and how they write the log.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../packages/cli/src/commands/index.ts";
import { cliFolder, type CliFolder } from "./cli-process.ts";
import { openCliSession, type CliSession } from "./cli-session.ts";
import { main } from "./spawned-server.ts";
import { eventually } from "./started-server.ts";

let session: CliSession;
beforeAll(() => {
  session = openCliSession({ SERVICE_PORT: "0", DESIGNER_PORT: "0" });
  session.put({ "flows/hello.yaml": "- route: {id: hello, from: {uri: webhook, steps: [{log: 'hello from ${body}'}]}}\n", "a-file": "" });
});
afterAll(() => session.remove());

const sluice = (...args: readonly string[]) => session.sluice(...args);
const dataDir = (): readonly string[] => ["--data-dir", join(session.path, `data-${Math.random()}`)];

describe("a busy port", () => {
  let other: Server;
  let port: number;
  beforeEach(async () => {
    other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    ({ port } = other.address() as AddressInfo);
  });
  afterEach(() => void other.close());

  const busy = (): string => String.raw`port ${port} is in use${process.platform === "linux" ? String.raw` by process ${process.pid} \([^)]+\)` : ""}`;
  const advice = (flag: string): string => String.raw`: stop that process, or choose another port with ${flag} \d+`;
  const expectSentence = async (args: readonly string[], sentence: string): Promise<void> => {
    expect(await sluice(...args)).toEqual({ exit: 1, output: "", stderr: expect.stringMatching(new RegExp(`^sluice ${args[0]}: ${sentence}\n$`)) });
  };

  it("is reported by sluice run", () => expectSentence(["run", "--port", String(port), ...dataDir()], busy() + advice("--port")));

  it("is reported by sluice run with several workers", () =>
    expectSentence(["run", "--workers", "2", "--port", String(port), ...dataDir()], busy() + advice("--port")));

  it("is reported by sluice dev", () => expectSentence(["dev", "flows", "--port", String(port)], busy() + advice("--port")));

  it("is reported by sluice dev for the designer", async () => {
    const { exit, stderr } = await sluice("dev", "flows", "--port", "0", "--designer", "--designer-port", String(port));
    expect([exit, stderr.split("\n").at(-2)]).toEqual([1, expect.stringMatching(new RegExp(`^sluice dev: ${busy()}${advice("--designer-port")}$`))]);
  });

  it("is reported by sluice designer", () => expectSentence(["designer", "--port", String(port)], busy() + advice("--port")));

  it("is reported by sluice cluster", () =>
    expectSentence(["cluster", "--port", String(port)], String.raw`${busy()}: stop that process, or use other ports with --port \(0: any free ports\)`));

  it.each([
    ["sluice start", undefined],
    ["npm start --", "start"],
  ])("is reported by %s with a command that uses free ports", async (command, event) => {
    const args = ["start", "--port", String(port), "--designer-port", String(port), ...dataDir()];
    expect(await session.run(args, { env: { npm_lifecycle_event: event } })).toEqual({
      exit: 1,
      output: "",
      stderr: expect.stringMatching(
        new RegExp(String.raw`^sluice start: ${busy()} and ${busy()}: stop that process, or use other ports: \`${command} --port \d+ --designer-port \d+\`\n$`),
      ),
    });
  });

  it("of the designer does not stop sluice start", async () => {
    const { exit, stderr } = await session.run(["start", "--port", "0", "--designer-port", String(port), ...dataDir()], { until: "Deploy a flow from" });
    expect([exit, stderr]).toEqual([0, expect.stringMatching(new RegExp(`^The designer cannot start: ${busy()}${advice("--designer-port")}\n`))]);
  });
});

describe("a refused start leaves no folder behind", () => {
  const starting = ["start", "run", "dev", "cluster"];
  let other: Server;
  beforeAll(async () => {
    other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
  });
  afterAll(() => void other.close());

  interface Refusal {
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    /** Commands with this flag or these settings. */
    readonly of?: readonly string[];
  }

  const withSettings = ["run", "start", "dev"];
  const refusals = (): readonly Refusal[] => [
    { args: ["--no-such-option"] },
    { args: ["--port", "x"] },
    { args: ["--port", String((other.address() as AddressInfo).port)] },
    { args: ["--port", "0", "--host", "192.0.2.1"], of: withSettings },
    { args: ["--port", "0"], env: { SERVICE_RUN_MS: "soon" } },
    { args: ["--port", "0"], env: { SERVICE_CONNECTORS: "no-such-package" }, of: withSettings },
    { args: ["--port", "0"], env: { SERVICE_FUNCTIONS: "./nowhere.mjs" }, of: withSettings },
    { args: ["flows", "--port", "0"], env: { SERVICE_CLUSTER: "nats://127.0.0.1:9/none" }, of: ["run", "dev"] },
    { args: ["nowhere", "--port", "0"], of: ["run", "dev"] },
    { args: ["--port", "0", "--store", "ftp://nowhere"], of: ["cluster"] },
  ];

  it("is tried with every command that has a data directory", async () => {
    const flagsOf = async ({ flags = [], moreFlags }: (typeof commands)[number]) => [...flags, ...((await moreFlags?.()) ?? [])];
    const withDataDir: string[] = [];
    for (const command of commands) if ((await flagsOf(command)).some(({ name }) => name === "data-dir")) withDataDir.push(command.name);
    expect(starting).toEqual(withDataDir);
  });

  it.each(starting.flatMap((name) => (name === "run" ? [[name], [name, "--workers", "2"]] : [[name]])))("sluice %s %s %s", async (...words) => {
    const [name = ""] = words.filter((word) => word !== undefined);
    const left: string[] = [];
    for (const { args, env = {}, of = [name] } of refusals()) {
      if (!of.includes(name)) continue;
      const dataDir = join(session.path, "refused/data");
      const line = [name, ...(name === "dev" && !["flows", "nowhere"].includes(args[0] as string) ? ["flows"] : []), ...words.slice(1), ...args];
      const { exit } = await session.run([...line, "--data-dir", dataDir], { env: { SERVICE_DEPLOY_TOKEN: undefined, ...env } });
      if (exit !== 1 && exit !== 2) left.push(`${line.join(" ")} ends with exit code ${exit}`);
      if (existsSync(join(session.path, "refused")))
        left.push(`${line.join(" ")} leaves ${readdirSync(join(session.path, "refused"), { recursive: true }).join(", ")}`);
      rmSync(join(session.path, "refused"), { recursive: true, force: true });
    }
    expect(left).toEqual([]);
  });
});

describe("sluice run with flow files that have an error", () => {
  const broken = "- route: {id: broken, from: {uri: webhook, steps: [{nosuchstep: x}]}}\n";
  let folder: CliFolder;
  beforeEach(() => {
    folder = cliFolder({ SERVICE_PORT: "0", SERVICE_DEPLOY_TOKEN: "t" });
    folder.put({ "broken.yaml": broken, "more/broken-too.yaml": broken, "good/hello.yaml": session.read("flows/hello.yaml") });
  });
  afterEach(() => folder.remove());

  it.each(["1", "2"])("ends with exit code 1 if no flow can be used, with %s workers", async (workers) => {
    const { exit, output, stderr } = await folder.sluice("run", "broken.yaml", "--workers", workers);
    expect([exit, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^sluice run: cannot start: flow 'broken' \(broken\.yaml\): .*unknown step 'nosuchstep'.*; correct it, or pass --watch to start and load it when it changes\n$/,
      ),
    ]);
    expect(output).not.toContain("baseUrl");
    expect((await folder.sluice("run", "broken.yaml", "more", "--workers", workers)).stderr).toMatch(
      /^sluice run: cannot start: none of 2 flows can be used, for example flow 'broken' \(broken\.yaml\): /,
    );
  });

  it("starts if a flow is deployed, also one with an error, which is repaired through the API", async () => {
    folder.put({ "data/routes/deployed.yaml": broken.replace("broken", "deployed") });
    const { exit, output } = await folder.interruptAfter("sluice run broken.yaml --data-dir data", '"baseUrl"');
    expect([exit, JSON.parse(output.split("\n", 1)[0] as string)]).toEqual([0, expect.objectContaining({ flows: 0, failedFlows: 2 })]);
  });

  it("serves the others, and names the one with the error", async () => {
    const { exit, output } = await folder.interruptAfter("sluice run broken.yaml good", '"baseUrl"');
    expect([exit, JSON.parse(output.split("\n", 1)[0] as string)]).toEqual([0, expect.objectContaining({ flows: 1, failedFlows: 1 })]);
    expect(output).toMatch(/"level":"ERROR".*Flow 'broken' is not running: .*unknown step 'nosuchstep'/);
  });

  it("starts with --watch, which loads the file when it changes", async () => {
    const { exit, output } = await folder.interruptAfter("sluice run broken.yaml --watch", '"baseUrl"');
    expect([exit, JSON.parse(output.split("\n", 1)[0] as string)]).toEqual([0, expect.objectContaining({ flows: 0, failedFlows: 1 })]);
  });
});

describe("a start that fails", () => {
  it("names an address that is not local", async () => {
    const sentence = "cannot listen on '192.0.2.1', which is not an address of this machine: choose another one with --host\n";
    expect(await sluice("run", "--host", "192.0.2.1", ...dataDir())).toEqual({ exit: 1, output: "", stderr: `sluice run: ${sentence}` });
    expect(await sluice("dev", "flows", "--host", "192.0.2.1")).toEqual({ exit: 1, output: "", stderr: `sluice dev: ${sentence}` });
  });

  it.each(["run", "start", "dev", "cluster"])("names an unusable data directory: sluice %s", async (name) => {
    const paths = name === "dev" ? ["flows"] : [];
    const { exit, stderr } = await session.run([name, ...paths, "--port", "0", "--data-dir", "a-file"], { env: { SERVICE_DEPLOY_TOKEN: undefined } });
    const path = name === "run" || name === "dev" ? join(session.path, "a-file") : String.raw`.*`;
    expect([exit, stderr]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`^sluice ${name}: cannot use the data directory '${path}' \\(the path is a file\\): fix it, or choose another directory with --data-dir\n$`),
      ),
    ]);
  });

  it("names an unusable workspace: sluice designer and sluice dev end", async () => {
    const path = join(session.path, "a-file");
    const sentence = `cannot use the workspace '${path}' (the path is a file): fix it, or choose another folder with --workspace\n`;
    const dev = await sluice("dev", "flows", "--port", "0", "--designer", "--designer-port", "0", "--workspace", "a-file");
    expect([dev.exit, dev.stderr.split("\n").at(-2)]).toEqual([1, `sluice dev: ${sentence.trim()}`]);
    expect(await sluice("designer", "--port", "0", "--workspace", "a-file")).toEqual({ exit: 1, output: "", stderr: `sluice designer: ${sentence}` });
  });

  // As with a port of the designer that is in use.
  it("names an unusable workspace: sluice start runs without the designer", async () => {
    const path = join(session.path, "a-file");
    const { exit, stderr } = await session.run(["start", "--port", "0", "--workspace", "a-file", ...dataDir()], { until: "Deploy a flow from" });
    const sentence = `The designer cannot start: cannot use the workspace '${path}' (the path is a file): fix it, or choose another folder with --workspace\n`;
    expect([exit, stderr.startsWith(sentence) ? sentence : stderr]).toEqual([0, sentence]);
  });

  const hasProc = existsSync("/proc/self");
  it.skipIf(!hasProc).each(["run", "start", "dev", "cluster"])("names a data directory that cannot be created: sluice %s (needs /proc)", async (name) => {
    const paths = name === "dev" ? ["flows"] : [];
    const { exit, stderr } = await session.run([name, ...paths, "--port", "0", "--data-dir", "/proc/x"], { env: { SERVICE_DEPLOY_TOKEN: undefined } });
    expect([exit, stderr]).toEqual([
      1,
      `sluice ${name}: cannot use the data directory '/proc/x' (no folder can be created there): fix it, or choose another directory with --data-dir\n`,
    ]);
  });

  it.skipIf(!hasProc).each(["webhook", "connector"])("names a folder that cannot be created: sluice new %s (needs /proc)", async (template) => {
    const { exit, stderr } = await sluice("new", template, "/proc/x");
    expect([exit, stderr.split("\n")[0]]).toEqual([2, "sluice new: '/proc/x' cannot be created (no folder can be created there): choose another folder"]);
  });

  it("rejects files whose flow ids differ only in case", async () => {
    mkdirSync(join(session.path, "same/more"), { recursive: true });
    for (const path of ["Orders.yaml", "more/orders.yaml"]) session.put({ [`same/${path}`]: "- from: {uri: webhook, steps: [{log: x}]}\n" });
    expect(await sluice("run", "same", ...dataDir())).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/orders\.yaml' and '.*orders\.yaml' have the same flow id 'orders': rename one of them/i),
    });
  });

  it("rejects a setting of the environment", async () => {
    expect(await session.run(["dev", "flows"], { env: { SERVICE_WORKERS: "x" } })).toEqual({
      exit: 2,
      output: "",
      stderr: "sluice dev: SERVICE_WORKERS: expected an integer, got 'x'\n",
    });
  });
});

/** The runtime warns at the start about a variable that looks like a misspelled setting. */
const misspelled = { SERVICE_PROT: "1" };
const warning = "Unknown setting SERVICE_PROT (did you mean SERVICE_PORT?)";
const readable = /^\d\d:\d\d:\d\d\.\d{3} WARN {2}sluice Unknown setting SERVICE_PROT/m;
const jsonRecord = /^\{"time":"\S+","level":"WARN","logger":"sluice","message":"Unknown setting SERVICE_PROT/m;
const withoutColors = (text: string): string => stripVTControlCharacters(text);

describe("the log of sluice start", () => {
  const start = (args: readonly string[], isTerminal: boolean) =>
    session.run(["start", "--port", "0", ...args, ...dataDir()], { env: misspelled, until: warning, ...(isTerminal ? { answer: "" } : {}) });

  it("is readable in a terminal, with colors", async () => {
    const { exit, output } = await start([], true);
    expect([exit, withoutColors(output)]).toEqual([0, expect.stringMatching(readable)]);
    expect(output).toContain("\u001B[33mWARN ");
    expect(output).not.toContain('{"');
  });

  it("has one JSON record per line otherwise, after the line that says that the runtime is ready", async () => {
    const { output } = await start([], false);
    expect(output).toMatch(jsonRecord);
    expect(JSON.parse(output.split("\n", 1)[0] as string)).toMatchObject({ baseUrl: expect.stringMatching(/^http/) });
  });

  it("has the format of --log-format", async () => {
    expect((await start(["--log-format", "text"], false)).output).toMatch(readable);
    expect((await start(["--log-format=json"], true)).output).toMatch(jsonRecord);
  });
});

describe("the log of sluice run", () => {
  let folder: CliFolder;
  beforeEach(() => {
    folder = cliFolder({ SERVICE_PORT: "0", SERVICE_DEPLOY_TOKEN: "t", ...misspelled });
  });
  afterEach(() => folder.remove());

  it.each(["1", "2"])("is JSON in a pipe and text with --log-format, with %s workers", async (workers) => {
    expect((await folder.interruptAfter(`sluice run --workers ${workers}`, warning)).output).toMatch(jsonRecord);
    const { exit, output } = await folder.interruptAfter(`sluice run --workers ${workers} --log-format text`, warning);
    expect([exit, output]).toEqual([0, expect.stringMatching(readable)]);
    expect(output).toMatch(new RegExp(`^Serving at http://127\\.0\\.0\\.1:\\d+ \\(process \\d+, 0 flows${workers === "1" ? "" : ", 2 workers"}\\)$`, "m"));
    expect(output).not.toContain('{"');
  });
});

describe("sluice dev", () => {
  it("prints JSON events in a pipe, and lines in a terminal", async () => {
    const dev = (isTerminal: boolean) => session.run(["dev", "flows"], { until: "Serving", ...(isTerminal ? { answer: "" } : {}) });
    const piped = await dev(false);
    expect([piped.exit, piped.stderr]).toEqual([
      0,
      expect.stringMatching(/^Serving flows at http:\S+; watching for changes, press Ctrl-C to stop\n✓ hello: hello\n/),
    ]);
    for (const line of piped.output.split("\n").slice(0, -1)) expect(JSON.parse(line)).toMatchObject({ at: expect.any(String) });
    expect(withoutColors((await dev(true)).output)).toMatch(/^✓ hello: hello$/m);
  });

  it("uses one process, and says so", async () => {
    const { exit, stderr } = await session.run(["dev", "flows"], { until: "Serving", env: { SERVICE_WORKERS: "3" } });
    expect([exit, stderr.split("\n")[0]]).toEqual([0, "SERVICE_WORKERS=3 is ignored: `sluice dev` uses one process; use `sluice run` for several workers"]);
  });

  it("stores in the data directory that --data-dir names", async () => {
    const folder = join(session.path, "dev-data");
    expect((await session.run(["dev", "flows", "--data-dir", folder], { until: "Serving" })).exit).toBe(0);
    mkdirSync(join(folder, "routes"), { recursive: true });
    session.put({ "dev-data/routes/stored.yaml": "- from: {uri: 'direct:stored', steps: [{log: x}]}\n" });
    expect((await session.run(["dev", "flows", "--data-dir", folder], { until: "Serving" })).stderr).toContain("✓ stored: stored\n");
  });
});

it.skipIf(process.platform === "win32")("a runtime that a package runner started ends when the shell between them ends (needs a POSIX shell)", async () => {
  // npx starts a shell, forwards SIGTERM to it, and the shell does not forward it.
  const env = {
    PATH: process.env["PATH"],
    SERVICE_PORT: "0",
    SERVICE_DATA_DIR: join(session.path, "npx"),
    SERVICE_DEPLOY_TOKEN: "t",
    npm_lifecycle_event: "npx",
  };
  const shell = spawn("sh", ["-c", `'${process.execPath}' '${main}' run; true`], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  shell.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await eventually(() => output.includes('"baseUrl"'));
  shell.kill("SIGKILL");
  await eventually(() => output.includes('"message":"Stopped"'));
});
