// Generates load on one core: wrk if available, otherwise a plain keep-alive client, so that the benchmark runs anywhere.
import { execFile, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { killOnExit, temporaryFolder } from "./cleanup.mjs";

const responseTimeoutMs = 60_000;

const availability = new Map();

/** Whether a command is available. A positive result is cached, because checking is slow on a busy machine. */
export function isAvailable(command) {
  if (availability.get(command) !== true) availability.set(command, spawnSync("sh", ["-c", `command -v ${command}`]).status === 0);
  return availability.get(command);
}

/** Pins a command to a core if the system supports it. */
export function onCore(core, command) {
  return isAvailable("taskset") ? ["taskset", "-c", String(core), ...command] : command;
}

/** wrk measures whole seconds only. */
export function loadTool(seconds) {
  return Number.isInteger(seconds) && isAvailable("wrk") ? "wrk" : "built-in client";
}

/** Posts `body` to `url` over `connections` connections for `seconds`; returns responses per second, p99 and failures. */
export async function load(url, body, { seconds, connections = 32, headers = {} }) {
  return loadTool(seconds) === "wrk" ? wrk(url, body, seconds, connections, headers) : client(url, body, seconds, connections, headers);
}

async function wrk(url, body, seconds, connections, headers) {
  const folder = temporaryFolder("load");
  const script = join(folder, "post.lua");
  const lines = Object.entries({ "Content-Type": "application/json", ...headers }).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  writeFileSync(
    script,
    `wrk.method = "POST"\nwrk.body = ${JSON.stringify(body)}\n${lines.join("\n")}\n` +
      `done = function(summary, latency) io.write(string.format("RESULT %d %d %f %d\\n", summary.requests, summary.duration, latency:percentile(99), summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout)) end\n`,
  );
  const [command, ...parameters] = onCore(1, [
    "wrk",
    "-t",
    "1",
    "-c",
    String(connections),
    "-d",
    `${seconds}s`,
    "--timeout",
    `${responseTimeoutMs / 1_000}s`,
    "-s",
    script,
    url,
  ]);
  const output = await new Promise((resolve) => killOnExit(execFile(command, parameters, (_error, stdout, stderr) => resolve(stdout + stderr))));
  rmSync(folder, { recursive: true });
  const match = /RESULT (\d+) (\d+) ([\d.]+) (\d+)/.exec(output);
  if (match === null) throw new Error(`wrk returned no result: ${output}`);
  return { perSecond: Number(match[1]) / (Number(match[2]) / 1e6), p99Ms: Number(match[3]) / 1000, failed: Number(match[4]) };
}

/** Every request completes or counts as failed: refused, reset, closed or timed out. */
export async function client(url, body, seconds, connections, headers) {
  const { hostname, port, pathname } = new URL(url);
  const lines = Object.entries({ Host: hostname, "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body), ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const request = `POST ${pathname} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
  const until = performance.now() + seconds * 1000;
  const latencies = [];
  const texts = new Set();
  let failed = 0;
  const runConnection = () =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      let sentAt = 0;
      let isWaiting = true;
      let buffered = "";
      const send = () => {
        sentAt = performance.now();
        isWaiting = true;
        socket.write(request);
      };
      socket.setTimeout(responseTimeoutMs, () => socket.destroy());
      socket.setNoDelay(true);
      socket.on("connect", send);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        if (isWaiting) failed++;
        resolve();
      });
      socket.on("data", (chunk) => {
        buffered += chunk.toString("latin1");
        const head = buffered.indexOf("\r\n\r\n");
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(buffered)?.[1] ?? 0);
        if (buffered.length < head + 4 + length) return;
        if (!buffered.startsWith("HTTP/1.1 2")) failed++;
        texts.add(buffered.slice(head + 4));
        isWaiting = false;
        buffered = "";
        latencies.push(performance.now() - sentAt);
        if (performance.now() < until) send();
        else socket.end();
      });
    });
  await Promise.all(Array.from({ length: connections }, runConnection));
  latencies.sort((a, b) => a - b);
  return { perSecond: latencies.length / seconds, p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0, failed, answered: latencies.length, texts };
}
