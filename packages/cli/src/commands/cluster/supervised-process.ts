// A child process that is restarted when it exits unexpectedly.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { CommandError } from "../../command/declaration.ts";

export interface ProcessOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /**
   * A process in its own group does not receive the Ctrl-C of the terminal. The store needs this, because it must stop after the
   * nodes.
   */
  readonly ownProcessGroup: boolean;
  /** Receives each line of output; returns true for the line that shows that the process is ready. */
  onLine(line: string): boolean;
  /** Reports an unexpected exit. */
  onExit(message: string): void;
}

const restartDelayMs = 1_000;
/** Time for a graceful shutdown, which drains in-flight requests. */
const stopTimeoutMs = 40_000;
const errorLines = 5;

export class SupervisedProcess {
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #restartTimer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts the process; resolves when it is ready, and rejects when it exits before that. */
  start(): Promise<void> {
    const { name, command, args, env, ownProcessGroup, onLine, onExit } = this.#options;
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: ownProcessGroup });
    this.#child = child;
    let isReady = false;
    const lastErrors: string[] = [];
    return new Promise((resolve, reject) => {
      const read = (line: string): void => {
        if (onLine(line) && !isReady) {
          isReady = true;
          resolve();
        }
      };
      createInterface({ input: child.stdout }).on("line", read);
      createInterface({ input: child.stderr }).on("line", (line) => {
        lastErrors.push(line);
        if (lastErrors.length > errorLines) lastErrors.shift();
        read(line);
      });
      child.once("error", (error) => reject(new CommandError(`${name} cannot start: ${error.message}`)));
      this.#exited = new Promise((exited) => {
        child.once("close", (code, signal) => {
          exited();
          if (this.#isStopping) return reject(new CommandError(`${name} was stopped`));
          const how = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
          if (!isReady) return reject(new CommandError([`${name} ${how} before it was ready`, ...lastErrors].join("\n")));
          onExit(`${name} ${how} and is being restarted`);
          this.#scheduleRestart();
        });
      });
    });
  }

  /** Stops the process gracefully, and kills it if it takes too long. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restartTimer);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const kill = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
    child.kill("SIGTERM");
    await this.#exited;
    clearTimeout(kill);
  }

  #scheduleRestart(): void {
    this.#restartTimer = setTimeout(() => {
      this.start().catch((error: Error) => {
        if (this.#isStopping) return;
        this.#options.onExit(error.message);
        this.#scheduleRestart();
      });
    }, restartDelayMs);
  }
}
