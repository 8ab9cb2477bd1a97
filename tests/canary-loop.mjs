// Calls the canary every 100 ms in a separate process, without waiting for earlier calls, so that a busy test does not distort the measurement.
// Prints an empty line after ten warm-up calls, and one line of JSON when its input ends. Each input line ends a measurement: it waits for pending
// calls and prints the maximum time that the event loop was blocked.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";

const [url, pid, interval = "100"] = process.argv.slice(2);
/** Maximum number of concurrent calls. Of several calls that wait at the same time, the first waits longest, so more calls would add no information. */
const maxPending = Number(interval) < 100 ? 5 : Infinity;
const agent = new Agent({ keepAlive: true });
const times = [];
const wrong = [];

/** Run-queue wait time of a thread so far; 0 for a process that has exited. */
function waitedMs(thread) {
  try {
    return Number(readFileSync(`/proc/${thread}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** CPU time of a thread so far; unknown without /proc. */
function usedMs(thread) {
  try {
    return Number(readFileSync(`/proc/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return Infinity;
  }
}

/** The part of a call's duration caused by the machine: time that the runtime or this process waited for a CPU. */
const starvedMs = () => waitedMs(pid) + waitedMs("thread-self");

const post = (connections) =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent: connections, timeout: 20_000 }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      incoming.on("end", () => resolve(`${incoming.statusCode} ${text}`)).on("error", reject);
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("the canary did not respond within 20 s")));
    // An idle keep-alive connection may be closed just when it is reused: such a call is repeated on a new connection.
    outgoing.on("error", (error) => (outgoing.reusedSocket && connections === agent ? post(false).then(resolve, reject) : reject(error)));
    outgoing.end("{}");
  });

async function timeCall() {
  // real time: the latency, which only the fault tests limit.
  const [startTime, starved, used] = [performance.now(), starvedMs(), usedMs(pid)];
  const reply = await post(agent).catch((error) => `0 ${error.message}`);
  // real time: as above.
  const ms = performance.now() - startTime;
  // Only the CPU time of the runtime's main thread during a call can be time that the event loop was blocked.
  const blockedMs = used === Infinity ? ms : Math.min(ms, usedMs(pid) - used);
  return { reply, ms: Math.max(0, ms - (starvedMs() - starved)), blockedMs };
}

for (let calls = 0; calls < 10; calls++) await timeCall();
process.stdout.write("\n");

const pending = new Set();
let longest = 0;
const calling = setInterval(() => {
  if (pending.size >= maxPending) return;
  const call = timeCall().then(({ reply, ms, blockedMs }) => {
    pending.delete(call);
    times.push(ms);
    longest = Math.max(longest, blockedMs);
    if (reply !== "200 ok") wrong.push(reply);
  });
  pending.add(call);
}, Number(interval));

process.stdin.on("data", async () => {
  await Promise.all(pending);
  const measured = longest;
  longest = 0;
  process.stdout.write(`${JSON.stringify({ longest: measured })}\n`);
});

process.stdin.on("end", async () => {
  clearInterval(calling);
  await Promise.all(pending);
  process.stdout.write(JSON.stringify({ times, wrong }), () => process.exit(0));
});
