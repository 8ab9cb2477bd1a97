// What one way of calling a server costs more than another, in processor time of the server per call. On a machine that does
// other things too, rates and even processor time drift within seconds: the two are called in short turns, one right after the
// other, and only the differences between neighbours count.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";

/** The part of the turns that counts. */
const undisturbed = 0.33;

const quantile = (values, part) => values.toSorted((a, b) => a - b)[Math.floor(values.length * part)];

/** Processor time of all threads of a process in microseconds, to the nanosecond where the system tells (Linux). */
function threadMicros(pid) {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return nanoseconds / 1_000;
}

/** Bytes of a POST over a connection that stays open. */
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

/** What is wrong with a reply, which is small: one is one chunk. */
export const faultOf = (chunk) => (chunk.toString("latin1", 9, 12) === "200" ? undefined : new Error(`a call failed: ${chunk.toString("latin1", 0, 300)}`));

/** Sends a message `count` times over all sockets, on each the next one after the reply. */
function sendAll(sockets, message, count) {
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
        const fault = faultOf(chunk);
        if (fault !== undefined) reject(fault);
        if (++answered === count) resolve();
        else sendNext(socket);
      });
      sendNext(socket);
    }
  });
}

/**
 * Pairs are `{name, plain, more}` with two messages each; by name, what `more` costs above `plain` in the least disturbed turns: the median
 * of the differences, the range that holds the true median with 95 %, and the median cost of `plain`.
 */
export async function measurePairs({ baseUrl, child }, pairs, { turns, calls = 1_000, connections = 32 }) {
  spawnSync("taskset", ["-cp", "1", String(process.pid)], { stdio: "ignore" });
  const sockets = await openSockets(baseUrl, connections);
  // A caller that sleeps has to be woken by the reply, at the cost of the server, and it sleeps the more the slower the server is.
  let waking = setImmediate(function stayAwake() {
    waking = setImmediate(stayAwake);
  });
  const turn = async (message) => {
    const before = threadMicros(child.pid);
    await sendAll(sockets, message, calls);
    return (threadMicros(child.pid) - before) / calls;
  };
  for (let round = 0; round < 10; round++) for (const { plain, more } of pairs) for (const message of [plain, more]) await turn(message);
  const rows = Object.fromEntries(pairs.map(({ name }) => [name, { plain: [], added: [] }]));
  for (let round = 0; round < turns; round++)
    for (const { name, plain, more } of pairs) {
      // Who comes first changes from round to round: neither always meets what the other left behind.
      const first = await turn(round % 2 === 0 ? plain : more);
      const second = await turn(round % 2 === 0 ? more : plain);
      rows[name].plain.push(round % 2 === 0 ? first : second);
      rows[name].added.push(round % 2 === 0 ? second - first : first - second);
    }
  clearImmediate(waking);
  for (const socket of sockets) socket.destroy();
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => {
      // Others on the same machine slow a processor down without taking it away. The turns they met least are those in which both together
      // cost least; choosing by the sum favours neither.
      const sums = row.plain.map((cost, index) => 2 * cost + row.added[index]);
      const most = quantile(sums, undisturbed);
      const kept = sums.flatMap((sum, index) => (sum <= most ? [index] : []));
      const plain = kept.map((index) => row.plain[index]);
      const added = kept.map((index) => row.added[index]);
      const margin = 0.98 / Math.sqrt(kept.length);
      return [
        name,
        {
          plain: quantile(plain, 0.5),
          added: quantile(added, 0.5),
          least: quantile(added, Math.max(0, 0.5 - margin)),
          most: quantile(added, Math.min(0.999, 0.5 + margin)),
        },
      ];
    }),
  );
}
