// A server started for one test, which may kill it and start it again on the same data.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acceptsConnections } from "./free-port.ts";
import type { Launch, Owner, ServerProgram } from "./server-program.ts";

/** Start timeout: the slowest server needs about 15 seconds on an idle machine. */
const startMs = 240_000;
/** A program that a server started may keep the output open, and is not waited for. */
const endMs = 30_000;
const pollMs = 50;

export class OwnServer {
  readonly #launch: Launch;
  readonly #folder: string;
  readonly #owner: Owner | undefined;
  #child: ChildProcess | undefined = undefined;
  #watchdog: ChildProcess | undefined = undefined;
  #output = "";
  port: number;

  constructor(program: ServerProgram, ports: readonly number[], find: (name: string) => string) {
    const [port, ...extraPorts] = ports as readonly [number, ...number[]];
    this.port = port;
    this.#folder = mkdtempSync(join(tmpdir(), "sluice-server-"));
    this.#owner = program.user === undefined ? undefined : ownerOf(program.user);
    if (this.#owner !== undefined) chownSync(this.#folder, this.#owner.uid, this.#owner.gid);
    try {
      program.prepare?.(this.#folder, port, find, this.#owner);
    } catch (error) {
      rmSync(this.#folder, { recursive: true, force: true });
      throw error;
    }
    this.#launch = program.launch(this.#folder, port, find, extraPorts);
  }

  /** Starts the server, or restarts it on the same port and data. Resolves when it is ready. */
  async start(): Promise<void> {
    const { command, args, env } = this.#launch;
    this.#output = "";
    // A separate process group, because some servers are several processes.
    const child = spawn(command, args, {
      cwd: this.#folder,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
      ...this.#owner,
    });
    this.#child = child;
    const appendOutput = (chunk: Buffer): void => void (this.#output = (this.#output + chunk.toString()).slice(-100_000));
    child.stdout.on("data", appendOutput);
    child.stderr.on("data", appendOutput);
    child.on("error", (error) => (this.#output += error.message));
    if (child.pid !== undefined) this.#watchdog = watchdog(child.pid, this.#folder);
    for (const limit = Date.now() + startMs; !(await this.#isReady());) {
      if (child.exitCode !== null || Date.now() > limit) throw new Error(`${command} did not start: ${this.#output.slice(-2000)}`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    // A shared server is never stopped; the watchdog ends it after this process.
    child.unref();
    for (const output of [child.stdout, child.stderr]) (output as Readable & { unref(): void }).unref();
  }

  /** Kills the server without a clean shutdown, like a crash. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stops the server cleanly; its data is preserved, so that it can be started again. */
  async stop(): Promise<void> {
    await this.#end(this.#launch.signal ?? "SIGTERM");
  }

  /** Kills the server and removes its data. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #isReady(): Promise<boolean> {
    const { ready, port } = this.#launch;
    if (port !== undefined) {
      const found = port.exec(this.#output)?.[1];
      if (found === undefined) return false;
      this.port = Number(found);
    }
    return (ready === undefined || ready.test(this.#output)) && (await acceptsConnections(this.port));
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#watchdog?.kill("SIGKILL");
    this.#watchdog = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    // The output closes when the last process of the server has ended: the first one can end before those that hold the port or shared memory.
    let limit: NodeJS.Timeout | undefined;
    const closed = new Promise((resolve) => child.once("close", resolve));
    const exited = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-child.pid, signal);
    await exited;
    await Promise.race([closed, new Promise((resolve) => (limit = setTimeout(resolve, endMs)))]);
    clearTimeout(limit);
  }
}

/**
 * Kills the server's process group and removes its data when this process ends without stopping it. An exit handler is not enough: test workers
 * are ended by a signal, and `afterAll` of a skipped suite does not run. The watchdog reads from a pipe that is closed when this process ends.
 */
function watchdog(pid: number, folder: string): ChildProcess {
  const script = 'cat >/dev/null; kill -KILL "-$0"; sleep 1; rm -rf -- "$1"';
  const child = spawn("/bin/sh", ["-c", script, String(pid), folder], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  child.unref();
  (child.stdin as Socket | null)?.unref();
  return child;
}

/** The user a server runs as; undefined when the test does not run as root. */
function ownerOf(user: string): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string): number => Number(execFileSync("id", [option, user], { stdio: "pipe" }).toString());
  return { uid: id("-u"), gid: id("-g") };
}
