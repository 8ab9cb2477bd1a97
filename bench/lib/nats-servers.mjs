// NATS servers for a benchmark: one, or three that form a cluster.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { killOnExit, temporaryFolder } from "./cleanup.mjs";
import { freePort } from "@sluice/testkit";

/** Starts `count` servers; returns their addresses, separated by commas, their process ids, and a function that ends them. */
export async function startNats(count) {
  const folder = temporaryFolder("nats", process.cwd());
  const ports = [];
  for (let index = 0; index < 2 * count; index++) ports.push(await freePort());
  const routes = ports.slice(count).map((port) => `nats://127.0.0.1:${port}`);
  const servers = ports.slice(0, count).map((port, index) => {
    const cluster = count === 1 ? [] : ["-n", `server${index}`, "--cluster_name", "bench", "--cluster", routes[index], "--routes", routes.join()];
    return killOnExit(
      spawn("nats-server", ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", join(folder, String(index)), ...cluster], { stdio: "ignore" }),
    );
  });
  // The servers of a cluster elect a leader first.
  await new Promise((resolve) => setTimeout(resolve, count === 1 ? 1_000 : 5_000));
  return {
    servers: ports
      .slice(0, count)
      .map((port) => `127.0.0.1:${port}`)
      .join(),
    pids: servers.map(({ pid }) => pid),
    end: () => servers.forEach((server) => server.kill("SIGKILL")),
  };
}
