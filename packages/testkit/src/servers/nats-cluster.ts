// Three NATS servers that form a cluster on the loopback interface.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts } from "./free-port.ts";
import { OwnServer } from "./own-server.ts";
import { findProgram, jetstreamConfig, serverPrograms, type ServerProgram } from "./server-program.ts";

const size = 3;

export interface NatsCluster {
  /** `host:port` of each server, separated by commas. */
  readonly servers: string;
  /** Kills one server without a clean shutdown. */
  kill(index: number): Promise<void>;
  /** Stops one server cleanly. */
  stop(index: number): Promise<void>;
  /** Starts a killed or stopped server again, on the same data. */
  restart(index: number): Promise<void>;
  end(): Promise<void>;
}

/** Undefined when nats-server is not installed, like `serverFor`. */
export async function natsCluster(): Promise<NatsCluster | undefined> {
  const missing = serverPrograms.nats.programs.find((needed) => findProgram(needed) === undefined);
  if (missing !== undefined) {
    if (process.env["SLUICE_SERVERS"] === "required") throw new Error(`tests with NATS need the program ${missing}`);
    return undefined;
  }
  const ports = await freePorts(2 * size);
  const routes = ports.slice(size).map((port) => `nats://127.0.0.1:${port}`);
  const servers = ports.slice(0, size).map((port, index) => {
    const program: ServerProgram = {
      ...serverPrograms.nats,
      prepare: (folder) => writeFileSync(join(folder, "nats.conf"), jetstreamConfig(folder)),
      launch(folder, clientPort, find) {
        const clusterArgs = ["-n", `server${index}`, "--cluster_name", "test", "--cluster", routes[index] as string, "--routes", routes.join(",")];
        return {
          command: find("nats-server"),
          args: ["-c", join(folder, "nats.conf"), "-a", "127.0.0.1", "-p", String(clientPort), ...clusterArgs],
          ready: /Server is ready/,
        };
      },
    };
    return new OwnServer(program, [port], (needed) => findProgram(needed) as string);
  });
  const end = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.remove())));
  try {
    await Promise.all(servers.map((server) => server.start()));
  } catch (error) {
    await end();
    throw error;
  }
  return {
    servers: servers.map(({ port }) => `127.0.0.1:${port}`).join(","),
    kill: async (index) => servers[index % size]?.kill(),
    stop: async (index) => servers[index % size]?.stop(),
    restart: async (index) => servers[index % size]?.start(),
    end,
  };
}
