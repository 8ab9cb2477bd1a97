// Three NATS servers with JetStream that form the store of a cluster on this machine.
import { accessSync, constants, createWriteStream } from "node:fs";
import { delimiter, join } from "node:path";
import { createFolderSync } from "@sluice/connectors/create-folder";
import { CommandError } from "../../command/declaration.ts";
import { nextFreePort } from "../../runtime/busy-port.ts";
import { SupervisedProcess } from "./supervised-process.ts";

const host = "127.0.0.1";
const serverCount = 3;
/** The ports that NATS uses by default, for clients and for other servers. */
const clientPort = 4222;
const routePort = 6222;

export interface NatsServers {
  /** `nats://host:port,host:port,host:port` */
  readonly url: string;
  readonly processes: readonly SupervisedProcess[];
}

/** The program of the servers; throws if it is not installed. */
export function natsProgram(environment: NodeJS.ProcessEnv): string {
  const command = findProgram("nats-server", environment["PATH"]);
  if (command === undefined)
    throw new CommandError(
      "nats-server is not in PATH: install it (Debian and Ubuntu: apt install nats-server; macOS: brew install nats-server; others: https://github.com/nats-io/nats-server/releases), or use a store that is already running with --store",
    );
  return command;
}

interface NatsOptions {
  readonly command: string;
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly onExit: (message: string) => void;
}

/** Prepares the servers, with their data and logs in `folder`. Their ports may differ from one start to the next. */
export async function natsServers({ command, folder, environment, onExit }: NatsOptions): Promise<NatsServers> {
  const clients = await freePorts(clientPort);
  const routes = (await freePorts(routePort)).map((port) => `nats://${host}:${port}`);
  const processes = clients.map((port, index) => {
    const name = `nats-${index + 1}`;
    const data = join(folder, name);
    createFolderSync(data);
    const log = createWriteStream(join(data, "nats.log"), { flags: "a" });
    const address = ["-a", host, "-p", String(port), "-n", name];
    const cluster = ["--cluster_name", "sluice", "--cluster", routes[index] as string, "--routes", routes.join(",")];
    return new SupervisedProcess({
      name,
      command,
      env: environment,
      args: [...address, ...cluster, "-js", "-sd", data],
      ownProcessGroup: true,
      onLine(line) {
        log.write(`${line}\n`);
        return line.includes("Server is ready");
      },
      onExit,
    });
  });
  return { url: `nats://${clients.map((port) => `${host}:${port}`).join(",")}`, processes };
}

async function freePorts(first: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < serverCount) ports.push(await nextFreePort(ports.at(-1) ?? first - 1, host));
  return ports;
}

function findProgram(name: string, path = ""): string | undefined {
  // Debian installs servers into sbin, which is not in the PATH of every user.
  const folders = [...path.split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
