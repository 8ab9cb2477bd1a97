// A process of its own that calls the canary every 100 ms, whether or not the calls before were answered, so that a busy test
// does not slow down what it measures. Says when it begins, and prints one JSON line when its input ends.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";

const [url, pid] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const times = [];
const wrong = [];

/** How long a thread was ready to run so far and others had the processor; that of a process that is gone waits no more. */
function waitedMs(thread) {
  try {
    return Number(readFileSync(`/proc/${thread}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** The machine's part of a call's time: what the runtime, or this process, waited for a processor. */
const starvedMs = () => waitedMs(pid) + waitedMs("thread-self");

const post = (connections) =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent: connections, timeout: 20_000 }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      incoming.on("end", () => resolve(`${incoming.statusCode} ${text}`)).on("error", reject);
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("the canary was not answered for 20 s")));
    // A kept connection may end, idle for too long, at the very moment it is used again: such a call is made once more, on a new one.
    outgoing.on("error", (error) => (outgoing.reusedSocket && connections === agent ? post(false).then(resolve, reject) : reject(error)));
    outgoing.end("{}");
  });

async function timed() {
  const [began, starved] = [performance.now(), starvedMs()];
  const answer = await post(agent).catch((error) => `0 ${error.message}`);
  return { answer, ms: Math.max(0, performance.now() - began - (starvedMs() - starved)) };
}

for (let calls = 0; calls < 10; calls++) await timed();
process.stdout.write("\n");

const pending = new Set();
const calling = setInterval(() => {
  const one = timed().then(({ answer, ms }) => {
    pending.delete(one);
    times.push(ms);
    if (answer !== "200 ok") wrong.push(answer);
  });
  pending.add(one);
}, 100);

process.stdin.resume().on("end", async () => {
  clearInterval(calling);
  await Promise.all(pending);
  process.stdout.write(JSON.stringify({ times, wrong }), () => process.exit(0));
});
