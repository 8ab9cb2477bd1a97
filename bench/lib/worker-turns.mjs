// What a call costs a service of several workers, where no core is left for the load. All workers share one core then, and taking
// turns on it within a millisecond would cost them what cores of their own never do: each is called by itself for a while.
import { openSockets, sendAll, threadMicros } from "./paired.mjs";

const probeCalls = 100;

/** Connections by the worker that serves them, told by whose processor time grows. */
export async function connectionsByWorker(baseUrl, pids, count, message) {
  const sockets = await openSockets(baseUrl, count);
  if (pids.length === 1) return [sockets];
  const shares = pids.map(() => []);
  for (const socket of sockets) {
    const before = pids.map(threadMicros);
    await sendAll([socket], message, probeCalls);
    const grown = pids.map((pid, index) => threadMicros(pid) - before[index]);
    shares[grown.indexOf(Math.max(...grown))].push(socket);
  }
  if (shares.some((share) => share.length === 0)) throw new Error(`a worker serves none of ${count} connections`);
  return shares;
}

/** Processor time of the whole service per call, microseconds: the mean over its workers, each called over its own connections. */
export async function costPerCall({ shares, processes, message }, calls) {
  let sum = 0;
  for (const share of shares) {
    const before = total(processes());
    await sendAll(share, message, calls);
    sum += (total(processes()) - before) / calls;
  }
  return sum / shares.length;
}

const total = (pids) => pids.reduce((sum, pid) => sum + threadMicros(pid), 0);
