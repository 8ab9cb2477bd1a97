// The command in a real terminal, driven through tmux.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cliFolder, type CliFolder } from "./cli-process.ts";
import { eventually, sleep } from "./started-server.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) console.warn("tmux is not installed: terminal output is not tested");

const socket = `sluice-${process.pid}`;
const tmux = (...args: readonly string[]): string => execFileSync("tmux", ["-L", socket, ...args], { encoding: "utf8" });

class Pane {
  readonly name: string;

  constructor(name: string, folder: CliFolder, env: Readonly<Record<string, string>> = {}) {
    this.name = name;
    const path = folder.toolPath;
    const settings = Object.entries({ PATH: path, PS1: "ready> ", DESIGNER_PORT: "0", ...env }).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
    tmux("-f", "/dev/null", "new-session", "-d", "-s", name, "-x", "140", "-y", "50", "-c", folder.path, ...settings, "bash --norc --noprofile");
  }

  type(text: string): void {
    tmux("send-keys", "-t", this.name, text);
  }

  enter(line: string): void {
    tmux("send-keys", "-t", this.name, "-l", line);
    tmux("send-keys", "-t", this.name, "Enter");
  }

  screen(...flags: readonly string[]): string {
    return tmux("capture-pane", "-p", "-S", "-200", ...flags, "-t", this.name);
  }

  async waitFor(pattern: RegExp, withinMs = 60_000): Promise<string> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const text = this.screen();
      if (pattern.test(text)) return text;
      if (performance.now() > deadline) throw new Error(`${pattern} did not appear on the screen:\n${text}`);
      await sleep(50);
    }
  }
}

describe.skipIf(!hasTmux)("in a terminal (needs tmux)", () => {
  let folder: CliFolder;
  beforeAll(async () => {
    folder = cliFolder();
    expect(await folder.sluice("new", "router", "parcels")).toMatchObject({ exit: 0 });
  });
  afterAll(() => {
    try {
      tmux("kill-server");
    } finally {
      folder.remove();
    }
  });

  it("dev shows runs step by step, reloads on save, reports errors with their line, and stops on Ctrl-C", async () => {
    const pane = new Pane("dev", folder);
    pane.enter("sluice dev parcels --port 0; echo ended with $?");
    const started = await pane.waitFor(/✓ parcels: parcels/);
    const url = /Serving parcels at (\S+);/.exec(started)?.[1] as string;
    const send = (): Promise<Response> => fetch(`${url}/api/parcels`, { method: "POST", body: '{"weight": 40}' });
    // The stream may take a moment to open: earlier runs are not shown.
    await eventually(async () => {
      expect(await (await send()).text()).toBe("freight");
      await sleep(500);
      return /✓ freight setBody .* freight\n.* ✓ by-weight choice .*\n.* parcels completed/.test(pane.screen());
    });

    const file = join(folder.path, "parcels/parcels.yaml");
    const good = readFileSync(file, "utf8");
    writeFileSync(file, good.replace("constant: freight", "constant: by truck"));
    await pane.waitFor(/Flow 'parcels' was reloaded/);
    expect(await (await send()).text()).toBe("by truck");

    writeFileSync(file, good.replace("setBody: {id: express", "setBdy: {id: express"));
    await pane.waitFor(/ERROR .*Flow 'parcels' was not reloaded: line 15: unknown step 'setBdy'/);
    expect(await (await send()).text()).toBe("by truck");

    writeFileSync(join(folder.path, "parcels/second.yaml"), good.replace("id: parcels", "id: second").replaceAll("parcels", "second"));
    await pane.waitFor(/Flow 'second' was reloaded/);

    pane.type("C-c");
    await pane.waitFor(/ended with 0/);
  }, 240_000);

  it("test --watch runs again when a flow or a test changes", async () => {
    const pane = new Pane("watch", folder);
    folder.put({
      "watched/w.yaml": "- route: {id: w, from: {uri: direct:w, steps: [{setBody: {constant: one}}]}}\n",
      "watched/w.test.yaml": "flow: w.yaml\ntests: [{name: says one, when: {direct: w}, then: [{reply: {bodyEquals: one}}]}]\n",
    });
    pane.enter("sluice test watched --watch; echo ended with $?");
    await pane.waitFor(/1 passed in 1 file[^]*Watching for changes/);
    folder.put({ "watched/w.yaml": "- route: {id: w, from: {uri: direct:w, steps: [{setBody: {constant: two}}]}}\n" });
    await pane.waitFor(/expected the reply "one", got "two"[^]*0 passed, 1 failed[^]*Watching for changes/);
    folder.put({ "watched/w.test.yaml": "flow: w.yaml\ntests: [{name: says two, when: {direct: w}, then: [{reply: {bodyEquals: two}}]}]\n" });
    await pane.waitFor(/✓ says two[^]*1 passed in 1 file[^]*Watching for changes/);
    pane.type("C-c");
    await pane.waitFor(/ended with 0/);
  }, 240_000);

  it("shows progress while it works and clears it at the end", async () => {
    const pane = new Pane("progress", folder);
    folder.put({ "many/f.yaml": "- route: {id: f, from: {uri: direct:f, steps: [{setBody: {constant: one}}]}}\n" });
    const test = "flow: f.yaml\ntests: [{name: says one, when: {direct: f}, then: [{reply: {bodyEquals: one}}]}]\n";
    for (let number = 1; number <= 60; number++) folder.put({ [`many/${number}.test.yaml`]: test });
    pane.enter("sluice test many; echo ended with $?");
    await pane.waitFor(/\d+\/60 many/);
    const end = await pane.waitFor(/ended with \d/);
    expect(end).toContain("60 passed");
    expect(end).toContain("ended with 0");
    expect(end).not.toMatch(/\d+\/60 many/);
  }, 240_000);

  it("uses colors in a terminal, unless NO_COLOR is set", async () => {
    const pane = new Pane("colors", folder, { TERM: "xterm-256color" });
    const red = "\u001B[31m";
    writeFileSync(join(folder.path, "bad.yaml"), "- route: {id: a, from: {uri: direct:a, steps: [{nope: {}}]}}\n");
    pane.enter("sluice lint bad.yaml; echo ended with $?");
    await pane.waitFor(/ended with 1/);
    expect(pane.screen("-e")).toContain(red);
    pane.enter("clear; tmux clear-history 2>/dev/null; NO_COLOR=1 sluice lint bad.yaml; echo done with $?");
    await pane.waitFor(/done with 1/);
    expect(pane.screen("-e").slice(pane.screen("-e").lastIndexOf("NO_COLOR=1"))).not.toContain(red);
    expect((await folder.sluice("lint", "bad.yaml")).output).not.toContain("\u001B");
  }, 240_000);
});
