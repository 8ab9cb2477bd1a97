// The command in a terminal: progress, colors, questions, and commands that run until they are interrupted. Most tests replace only the terminal;
// the last ones use a real one, driven through tmux.
import { execFileSync, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cliFolder, type CliFolder } from "./cli-process.ts";
import { openCliSession, type CliSession, type CommandResult } from "./cli-session.ts";
import { replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

const inTerminal = { answer: "" };
const withoutColors = (text: string): string => stripVTControlCharacters(text);

describe("in a terminal", () => {
  let session: CliSession;
  beforeAll(async () => {
    session = openCliSession({ SERVICE_PORT: "0" });
    expect(await session.sluice("new", "router", "parcels")).toMatchObject({ exit: 0 });
  });
  afterAll(() => session.remove());

  /** Starts a command; `screen` is its output so far, `stop` interrupts it. */
  function start(...args: readonly string[]) {
    let screen = "";
    const interrupt = new AbortController();
    const ended = session.run(args, { ...inTerminal, signal: interrupt.signal, onWrite: (text) => (screen = withoutColors(text)) });
    return {
      waitFor: (pattern: RegExp): Promise<void> => vi.waitFor(() => expect(screen).toMatch(pattern), { timeout: 240_000 }),
      stop: (): Promise<CommandResult> => (interrupt.abort(), ended),
      screen: () => screen,
    };
  }

  it("dev shows runs step by step, reloads on save, reports errors with their line, and stops on Ctrl-C", async () => {
    const dev = start("dev", "parcels");
    await dev.waitFor(/✓ parcels: parcels/);
    const url = /Serving parcels at (\S+);/.exec(dev.screen())?.[1] as string;
    const send = async (): Promise<string> => (await fetch(`${url}/api/parcels`, { method: "POST", body: '{"weight": 40}' })).text();
    // Runs are shown from the moment at which the stream is open.
    await vi.waitFor(
      async () => {
        expect(await send()).toBe("freight");
        expect(dev.screen()).toMatch(/✓ freight setBody .* freight\n.* ✓ by-weight choice .*\n.* parcels completed/);
      },
      { timeout: 240_000 },
    );

    const good = session.read("parcels/parcels.yaml");
    session.put({ "parcels/parcels.yaml": good.replace("constant: freight", "constant: by truck") });
    await dev.waitFor(/Flow 'parcels' was reloaded/);
    expect(await send()).toBe("by truck");

    session.put({ "parcels/parcels.yaml": good.replace("setBody: {id: express", "setBdy: {id: express") });
    await dev.waitFor(/ERROR .*Flow 'parcels' was not reloaded: line 15: unknown step 'setBdy'/);
    expect(await send()).toBe("by truck");

    session.put({ "parcels/second.yaml": good.replace("id: parcels", "id: second").replaceAll("parcels", "second") });
    await dev.waitFor(/Flow 'second' was reloaded/);
    expect((await dev.stop()).exit).toBe(0);
  });

  it("test --watch runs again when a flow or a test changes", async () => {
    const flow = (text: string): string => `- route: {id: w, from: {uri: direct:w, steps: [{setBody: {constant: ${text}}}]}}\n`;
    const test = (text: string): string => `flow: w.yaml\ntests: [{name: says ${text}, when: {direct: w}, then: [{reply: {bodyEquals: ${text}}}]}]\n`;
    session.put({ "watched/w.yaml": flow("one"), "watched/w.test.yaml": test("one") });
    const watch = start("test", "watched", "--watch");
    await watch.waitFor(/1 passed in 1 file/);
    session.put({ "watched/w.yaml": flow("two") });
    await watch.waitFor(/expected the reply "one", got "two"[^]*0 passed, 1 failed/);
    session.put({ "watched/w.test.yaml": test("two") });
    await watch.waitFor(/✓ says two[^]*1 passed in 1 file/);
    const { exit, stderr } = await watch.stop();
    expect([exit, stderr]).toEqual([0, expect.stringContaining("Watching for changes; press Ctrl-C to stop.\n")]);
  });

  it("shows progress while it works and clears it at the end", async () => {
    const test = "flow: f.yaml\ntests: [{name: says one, when: {direct: f}, then: [{reply: {bodyEquals: one}}]}]\n";
    session.put({ "many/f.yaml": "- route: {id: f, from: {uri: direct:f, steps: [{setBody: {constant: one}}]}}\n" });
    for (const name of ["a", "b", "c"]) session.put({ [`many/${name}.test.yaml`]: test });
    const { exit, output, stderr } = await session.run(["test", "many"], inTerminal);
    expect([exit, withoutColors(output)]).toEqual([0, expect.stringContaining("3 passed")]);
    const clear = "\r\u001B[2K";
    expect(stderr).toBe(["1/3 many/a.test.yaml", "2/3 many/b.test.yaml", "3/3 many/c.test.yaml"].map((text) => text + clear).join(""));
    expect((await session.sluice("test", "many")).stderr).toBe("");
  });

  it("uses colors, unless NO_COLOR is set", async () => {
    session.put({ "bad.yaml": "- route: {id: a, from: {uri: direct:a, steps: [{nope: {}}]}}\n" });
    const lint = async (options: Parameters<CliSession["run"]>[1]): Promise<string> => (await session.run(["lint", "bad.yaml"], options)).output;
    expect(await lint({ ...inTerminal, env: { TERM: "xterm-256color" } })).toContain("\u001B[31m");
    expect(await lint({ ...inTerminal, env: { TERM: "xterm-256color", NO_COLOR: "1" } })).not.toContain("\u001B");
    expect(await lint({})).not.toContain("\u001B");
  });
});

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const socket = `sluice-${process.pid}`;
const tmux = (args: readonly string[], path = process.env["PATH"]): string =>
  execFileSync("tmux", ["-L", socket, ...args], { encoding: "utf8", env: { ...process.env, PATH: path } });

class Pane {
  readonly #name: string;

  constructor(name: string, folder: CliFolder, env: Readonly<Record<string, string>>) {
    this.#name = name;
    const settings = Object.entries({ PS1: "ready> ", ...env }).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
    const size = ["-x", "140", "-y", "50"];
    // A pane has the PATH of the tmux command that creates it.
    tmux(["-f", "/dev/null", "new-session", "-d", "-s", name, ...size, "-c", folder.path, ...settings, "bash", "--norc", "--noprofile"], folder.toolPath);
  }

  type(text: string): void {
    tmux(["send-keys", "-t", this.#name, text]);
  }

  enter(line: string): void {
    tmux(["send-keys", "-t", this.#name, "-l", line]);
    this.type("Enter");
  }

  waitFor(pattern: RegExp): Promise<void> {
    return vi.waitFor(() => expect(tmux(["capture-pane", "-p", "-S", "-200", "-t", this.#name])).toMatch(pattern), { timeout: 240_000, interval: 200 });
  }
}

describe.skipIf(!hasTmux)("in a real terminal (needs tmux)", () => {
  let server: StartedServer;
  let folder: CliFolder;
  beforeAll(async () => {
    server = await startTestServer();
    folder = cliFolder();
    folder.put({ "flows/hello.yaml": replyFlow("hello", "hi") });
  });
  afterAll(async () => {
    await server.end();
    try {
      tmux(["kill-server"]);
    } finally {
      folder.remove();
    }
  });

  it("start writes a readable log and stops on Ctrl-C", async () => {
    const pane = new Pane("start", folder, { SERVICE_PROT: "1" });
    pane.enter("sluice start --port 0 --designer-port 0; echo ended with $?");
    await pane.waitFor(/Runtime +http:/);
    await pane.waitFor(/\d\d:\d\d:\d\d\.\d{3} WARN {2}sluice Unknown setting SERVICE_PROT/);
    pane.type("C-c");
    await pane.waitFor(/INFO {2}sluice Stopped\n[^]*ended with 0/);
  });

  it("asks before it removes a flow, and ends on Ctrl-C", async () => {
    await server.putFlow("hello", replyFlow("hello", "hi"));
    const pane = new Pane("ask", folder, { SLUICE_RUNTIME: server.baseUrl, SERVICE_DEPLOY_TOKEN: token });
    pane.enter("sluice flows remove hello; echo ended with $?");
    await pane.waitFor(/Remove flow 'hello' \(1 route\) with all versions from \S+\? \[y\/N\]$/m);
    pane.type("C-c");
    await pane.waitFor(/ended with 130/);
    pane.enter("clear; sluice flows remove hello; echo done with $?");
    await pane.waitFor(/\[y\/N\]$/m);
    pane.enter("y");
    await pane.waitFor(/Flow 'hello' removed: hello\n[^]*done with 0/);
  });
});
