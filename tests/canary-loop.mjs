// A process of its own that calls the canary ten times a second, so that a busy test does not slow down what it measures.
// Prints one JSON line when its input ends.
import { Agent, request } from "node:http";

const url = process.argv[2];
const agent = new Agent({ keepAlive: true, maxSockets: 4 });
const times = [];
const wrong = [];
const starved = [1];
let running = true;
process.stdin.resume().on("end", () => (running = false));

const once = () =>
  new Promise((resolve) => {
    const outgoing = request(url, { method: "POST", agent, timeout: 60_000 }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      incoming.on("end", () => resolve(`${incoming.statusCode} ${text}`));
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer for a minute")));
    outgoing.on("error", (error) => resolve(`0 ${error.message}`));
    outgoing.end("{}");
  });

/** How long this process waits for a processor compared with what it uses: 1 on a machine of its own. */
function starvation() {
  const began = performance.now();
  const before = process.cpuUsage();
  let work = 0;
  for (let index = 0; index < 2_000_000; index++) work += index % 7;
  const { user, system } = process.cpuUsage(before);
  return work < 0 ? 1 : (performance.now() - began) / Math.max(0.5, (user + system) / 1000);
}

for (let beat = 0; running; beat++) {
  const began = performance.now();
  const answer = await once();
  times.push(performance.now() - began);
  if (answer !== "200 ok") wrong.push(answer);
  if (beat % 5 === 0) starved.push(starvation());
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, 100 - (performance.now() - began))));
}
process.stdout.write(JSON.stringify({ times, wrong, starved: Math.max(...starved) }), () => process.exit(0));
