// Load without a dedicated core: requests are written to the sockets while the servers are suspended, and the sender sleeps while they are processed.
// During a burst the servers have all cores; their responses in that time are counted. A burst is so short that no machine completes all calls in it.
import { errorOf, openSockets } from "./paired.mjs";
import { watchSteal } from "./steal.mjs";

const longestMs = 100;
const shortestMs = 10;
/** The share of the calls that a burst may complete before measuring begins. The rest is for a server that becomes faster meanwhile. */
const maxShare = 0.6;
const openedAtOnce = 500;
/** Timeout for all responses. */
const timeoutMs = 120_000;

/** A client of one or more servers, each a process group. It sends one request per connection and burst. */
class BurstCaller {
  #sockets = [];
  #groups;
  #answered = 0;
  #allAnswered = () => undefined;
  #fail = () => undefined;

  /** Servers are `{baseUrl, child}`; the connections are spread evenly. */
  static async open(servers, connections) {
    const caller = new BurstCaller();
    caller.#groups = servers.map(({ child }) => child.pid);
    for (const { baseUrl } of servers)
      for (let missing = Math.ceil(connections / servers.length); missing > 0; missing -= openedAtOnce)
        caller.#sockets.push(...(await openSockets(baseUrl, Math.min(openedAtOnce, missing))));
    for (const socket of caller.#sockets) {
      socket.on("data", (chunk) => {
        const error = errorOf(chunk);
        if (error !== undefined) caller.#fail(error);
        if (++caller.#answered === caller.#sockets.length) caller.#allAnswered();
      });
      socket.on("close", () => caller.#fail(new Error("the server closed a connection")));
    }
    return caller;
  }

  /** The responses per second in one burst, and the share of the calls that it completed. */
  async burst(message, burstMs) {
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
      this.#signal("SIGCONT");
      await ended;
      return { perSecond: (answered * 1_000) / tookMs, share: answered / this.#sockets.length };
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
      const missing = () => this.#sockets.length - this.#answered;
      const deadline = setTimeout(() => reject(new Error(`${missing()} calls got no response within ${timeoutMs / 1_000} s`)), timeoutMs);
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

/**
 * Compares two groups of servers that do the same work: pairs of the responses per second of both, one for each round of the given seconds. A round
 * consists of short turns, so that both see the same machine conditions; rates are means.
 */
export async function compareBursts(groups, message, { rounds, seconds, connections }) {
  const callers = [];
  for (const servers of groups) callers.push(await BurstCaller.open(servers, connections));
  try {
    // Each worker must be warmed up separately.
    for (let turn = 0; turn < 3; turn++) for (const caller of callers) await caller.burst(message, longestMs);
    for (let burstMs = await calibrate(callers, message); ; burstMs /= 2) {
      const pairs = await measureRounds(callers, message, { rounds, turns: Math.max(1, Math.round((seconds * 1_000) / longestMs)), burstMs });
      if (pairs !== undefined) return pairs;
    }
  } finally {
    for (const caller of callers) caller.close();
  }
}

/** How long a burst may last for no caller to complete too many of its calls. */
async function calibrate(callers, message) {
  for (let burstMs = longestMs; ;) {
    let most = 0;
    for (const caller of callers) most = Math.max(most, (await caller.burst(message, burstMs)).share);
    if (most <= maxShare || burstMs <= shortestMs) return burstMs;
    burstMs = Math.max(shortestMs, most === 1 ? burstMs / 2 : (0.9 * burstMs * maxShare) / most);
  }
}

/** Undefined if a burst completed all of its calls and can be shorter. */
async function measureRounds(callers, message, { rounds, turns, burstMs }) {
  const pairs = [];
  for (let repeats = rounds; pairs.length < rounds;) {
    const wasDisturbed = watchSteal();
    const sums = [0, 0];
    for (let turn = 0; turn < turns; turn++)
      for (const index of (pairs.length + turn) % 2 === 0 ? [0, 1] : [1, 0]) {
        const { perSecond, share } = await callers[index].burst(message, burstMs);
        if (share === 1 && burstMs > shortestMs) return undefined;
        sums[index] += perSecond;
      }
    // On an overloaded machine a server may not run at all during its bursts.
    if (sums.includes(0)) continue;
    if (!wasDisturbed() || repeats-- <= 0) pairs.push(sums.map((sum) => sum / turns));
  }
  return pairs;
}
