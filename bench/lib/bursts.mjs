// Load without a dedicated core: requests are written to the sockets while the server is suspended, and the sender sleeps while they are processed.
// During a burst the server has all cores; its responses in that time are counted.
import { errorOf, openSockets } from "./paired.mjs";

/** More requests than two cores can process in one burst, so that no core becomes idle. */
const connections = 6_000;
export const burstMs = 100;
const openedAtOnce = 500;
/** Timeout for all responses. */
const timeoutMs = 30_000;

/** A client of one or more servers, each a process group. It sends one request per connection and burst. */
export class BurstCaller {
  #sockets = [];
  #groups;
  #answered = 0;
  #allAnswered = () => undefined;
  #fail = () => undefined;

  /** Servers are `{baseUrl, child}`; the connections are spread evenly. */
  static async open(...servers) {
    const caller = new BurstCaller();
    caller.#groups = servers.map(({ child }) => child.pid);
    for (let turn = 0; caller.#sockets.length < connections; turn++)
      caller.#sockets.push(...(await openSockets(servers[turn % servers.length].baseUrl, openedAtOnce)));
    for (const socket of caller.#sockets) {
      socket.on("data", (chunk) => {
        const error = errorOf(chunk);
        if (error !== undefined) caller.#fail(error);
        if (++caller.#answered === connections) caller.#allAnswered();
      });
      socket.on("close", () => caller.#fail(new Error("the server closed a connection")));
    }
    return caller;
  }

  /** Responses per second in one burst. */
  async burst(message) {
    const ended = this.#whenAllAnswered();
    this.#answered = 0;
    try {
      this.#signal("SIGSTOP");
      for (const socket of this.#sockets) socket.write(message);
      const startTime = performance.now();
      this.#signal("SIGCONT");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, burstMs);
      this.#signal("SIGSTOP");
      const tookMs = performance.now() - startTime;
      const answered = await this.#countResponses();
      if (answered === connections) throw new Error(`all ${connections} calls completed within ${burstMs} ms: the burst is too small`);
      this.#signal("SIGCONT");
      await ended;
      return (answered * 1_000) / tookMs;
    } finally {
      this.#signal("SIGCONT");
    }
  }

  close() {
    this.#fail = () => undefined;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves when all calls have completed. */
  #whenAllAnswered() {
    const ended = new Promise((resolve, reject) => {
      const deadline = setTimeout(() => reject(new Error(`${connections - this.#answered} calls got no response within ${timeoutMs / 1_000} s`)), timeoutMs);
      this.#allAnswered = () => {
        clearTimeout(deadline);
        resolve();
      };
      this.#fail = (error) => {
        clearTimeout(deadline);
        reject(error);
      };
    });
    // The caller awaits this later; until then a failure must not be an unhandled rejection.
    ended.catch(() => undefined);
    return ended;
  }

  #signal(name) {
    for (const group of this.#groups) process.kill(-group, name);
  }

  /** Counts responses in the sockets once no more arrive. */
  async #countResponses() {
    for (let seen = -1; seen !== this.#answered;) {
      seen = this.#answered;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return this.#answered;
  }
}
