// NATS servers for a benchmark: one, or three that form a cluster.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { freePorts } from "@sluice/testkit";
import { killOnExit, temporaryFolder } from "./cleanup.mjs";

const startTimeoutMs = 60_000;

/** Starts `count` servers; returns their addresses, separated by commas, their process ids, and a function that ends them. */
export async function startNats(count) {
  const folder = temporaryFolder("nats", process.cwd());
  const ports = await freePorts(2 * count);
  const routes = ports.slice(count).map((port) => `nats://127.0.0.1:${port}`);
  const addresses = ports.slice(0, count).map((port) => `127.0.0.1:${port}`);
  const servers = ports.slice(0, count).map((port, index) => {
    const cluster = count === 1 ? [] : ["-n", `server${index}`, "--cluster_name", "bench", "--cluster", routes[index], "--routes", routes.join()];
    return killOnExit(
      spawn("nats-server", ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", join(folder, String(index)), ...cluster], { stdio: "ignore" }),
    );
  });
  await whenReady(addresses, count);
  return { servers: addresses.join(), pids: servers.map(({ pid }) => pid), end: () => servers.forEach((server) => server.kill("SIGKILL")) };
}

/** Resolves when a stream with a replica on each server could be created: the servers of a cluster elect a leader first. */
async function whenReady(addresses, count) {
  const until = performance.now() + startTimeoutMs;
  for (;;) {
    const error = await createStream(addresses, count).then(
      () => undefined,
      (failure) => failure,
    );
    if (error === undefined) return;
    if (performance.now() > until) throw new Error(`the NATS servers are not ready after ${startTimeoutMs / 1_000} s: ${error.message}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function createStream(addresses, count) {
  const connection = await connect({ servers: addresses, reconnect: false });
  try {
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: "ready", subjects: ["ready"], num_replicas: count });
    await manager.streams.delete("ready");
  } finally {
    await connection.close();
  }
}
