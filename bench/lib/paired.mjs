// The extra cost of one kind of call over another, in CPU time of the server per call. On a busy machine, rates and even CPU time
// drift within seconds, so the two kinds alternate in short rounds and only differences between adjacent rounds count.
import { spawnSync } from "node:child_process";
import { connect } from "node:net";
import { cpuMicros } from "./processes.mjs";

/** The fraction of rounds that is evaluated: the least disturbed ones. */
const undisturbedShare = 0.33;

const quantile = (values, fraction) => values.toSorted((a, b) => a - b)[Math.floor(values.length * fraction)];

/** The bytes of a keep-alive POST. */
export function postMessage(path, body, headers) {
  const fields = { Host: "127.0.0.1", "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

export async function openSockets(baseUrl, count) {
  const { hostname, port } = new URL(baseUrl);
  const open = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(socket));
      socket.setNoDelay(true);
      socket.once("error", reject);
    });
  return Promise.all(Array.from({ length: count }, open));
}

/** An error unless the reply has status 200; a reply is small enough to arrive in one chunk. */
export const errorOf = (chunk) => (chunk.toString("latin1", 9, 12) === "200" ? undefined : new Error(`a call failed: ${chunk.toString("latin1", 0, 300)}`));

/** Sends a message `count` times over all sockets; each sends the next one after a reply. Rejects with an error that `check` returns for a reply. */
export function sendAll(sockets, message, count, check = errorOf) {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let answered = 0;
    const sendNext = (socket) => {
      if (sent >= count) return;
      sent++;
      socket.write(message);
    };
    for (const socket of sockets) {
      socket.removeAllListeners("data");
      socket.on("data", (chunk) => {
        const error = check(chunk);
        if (error !== undefined) reject(error);
        if (++answered === count) resolve();
        else sendNext(socket);
      });
      sendNext(socket);
    }
  });
}

/**
 * Pairs are `{name, plain, extended}` with two messages each; returns by name the extra cost of `extended` over `plain` in the least disturbed rounds:
 * the median difference, its 95% confidence interval, and the median cost of `plain`.
 */
export async function measurePairs({ baseUrl, child }, pairs, { rounds, calls = 1_000, connections = 32 }) {
  spawnSync("taskset", ["-cp", "1", String(process.pid)], { stdio: "ignore" });
  const sockets = await openSockets(baseUrl, connections);
  // Keeps this process awake: waking a sleeping client costs the server CPU time, and the client of a slower server sleeps more often.
  let wakeUp = setImmediate(function stayAwake() {
    wakeUp = setImmediate(stayAwake);
  });
  const measure = async (message) => {
    const before = cpuMicros(child.pid);
    await sendAll(sockets, message, calls);
    return (cpuMicros(child.pid) - before) / calls;
  };
  const warmUps = Math.min(10, rounds);
  for (let round = 0; round < warmUps; round++) for (const { plain, extended } of pairs) for (const message of [plain, extended]) await measure(message);
  const rows = Object.fromEntries(pairs.map(({ name }) => [name, { plain: [], added: [] }]));
  for (let round = 0; round < rounds; round++)
    for (const { name, plain, extended } of pairs) {
      // The order alternates from round to round, so that neither always runs after the other.
      const first = await measure(round % 2 === 0 ? plain : extended);
      const second = await measure(round % 2 === 0 ? extended : plain);
      rows[name].plain.push(round % 2 === 0 ? first : second);
      rows[name].added.push(round % 2 === 0 ? second - first : first - second);
    }
  clearImmediate(wakeUp);
  for (const socket of sockets) socket.destroy();
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => {
      // Other load slows a core down even when it does not preempt the server. The least disturbed rounds are those with the lowest total cost of both; selecting
      // by the sum favors neither.
      const sums = row.plain.map((cost, index) => 2 * cost + row.added[index]);
      const limit = quantile(sums, undisturbedShare);
      const selected = sums.flatMap((sum, index) => (sum <= limit ? [index] : []));
      const plain = selected.map((index) => row.plain[index]);
      const added = selected.map((index) => row.added[index]);
      const margin = 0.98 / Math.sqrt(selected.length);
      return [
        name,
        {
          plain: quantile(plain, 0.5),
          added: quantile(added, 0.5),
          min: quantile(added, Math.max(0, 0.5 - margin)),
          max: quantile(added, Math.min(0.999, 0.5 + margin)),
        },
      ];
    }),
  );
}
