// A process of its own that calls the canary ten times a second, so that a busy test does not slow down what it measures. In turn
// with it, it calls a server that has nothing else to do: what that one needs is the machine's doing, not the runtime's.
// Prints one JSON line when its input ends.
import { spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { once as emitted } from "node:events";
import { fileURLToPath } from "node:url";

const url = process.argv[2];
const agent = new Agent({ keepAlive: true, maxSockets: 4 });
const times = [];
const idle = [];
const wrong = [];
let running = true;
process.stdin.resume().on("end", () => (running = false));

const program = fileURLToPath(new URL("idle-server.mjs", import.meta.url));
const idleServer = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
const [port] = await emitted(idleServer.stdout, "data");
// Says that it begins; a line feed before the JSON does no harm.
process.stdout.write("\n");
const idleUrl = `http://127.0.0.1:${String(port).trim()}/`;

const post = (target) =>
  new Promise((resolve) => {
    const began = performance.now();
    const end = (answer) => resolve({ answer, ms: performance.now() - began });
    const outgoing = request(target, { method: "POST", agent, timeout: 60_000 }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      incoming.on("end", () => end(`${incoming.statusCode} ${text}`));
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer for a minute")));
    outgoing.on("error", (error) => end(`0 ${error.message}`));
    outgoing.end("{}");
  });

while (running) {
  const began = performance.now();
  idle.push((await post(idleUrl)).ms);
  const { answer, ms } = await post(url);
  times.push(ms);
  if (answer !== "200 ok") wrong.push(answer);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, 100 - (performance.now() - began))));
}
idleServer.kill();
process.stdout.write(JSON.stringify({ times, idle, wrong }), () => process.exit(0));
