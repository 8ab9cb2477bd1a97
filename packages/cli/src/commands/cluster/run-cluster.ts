// `sluice cluster`: a store, several nodes and a load balancer on this machine, for evaluation and tests.
import { join, resolve } from "node:path";
import { createFolderSync } from "@sluice/connectors/create-folder";
import { readClusterTarget } from "@sluice/server/cluster-target";
import { readConfiguration, SettingsError, type Settings } from "@sluice/server/config";
import { lineFormat, type LineFormat } from "@sluice/server/log-line";
import { CommandError, numberFlag, textFlag, UsageError, type Call, type Values } from "../../command/declaration.ts";
import { commandFile } from "../../command/package-files.ts";
import { busyPortText, isFree } from "../../runtime/busy-port.ts";
import { listenErrorText, runtimeAddress } from "../../runtime/listen-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { toStartError } from "../run/run-run.ts";
import { waitForAbort } from "../run/wait-for-abort.ts";
import { deployTokenFile } from "../start/deploy-token-file.ts";
import { firstFlowCommand } from "../start/first-flow-command.ts";
import { startLoadBalancer, type LoadBalancer } from "./load-balancer.ts";
import { natsProgram, natsServers } from "./nats-servers.ts";
import { SupervisedProcess } from "./supervised-process.ts";

const host = "127.0.0.1";
/** Replication factor of the NATS servers started here; an existing store keeps its own. */
const replicas = "3";

interface Node {
  readonly name: string;
  readonly process: SupervisedProcess;
  /** Undefined while the node is not running. */
  url: string | undefined;
}

export async function run({ flags, terminal, signal }: Call): Promise<number> {
  const count = numberFlag(flags, "nodes") as number;
  const port = numberFlag(flags, "port") as number;
  const { settings, environment, deployToken, store } = configuration(flags);
  const folder = resolve(textFlag(flags, "dataDir") as string);
  await assertPortsFree(port, count);
  const command = store === undefined ? natsProgram(environment) : undefined;
  const token = await prepareFolder(folder, deployToken);
  const note = (message: string): void => terminal.note(message);
  const servers = command === undefined ? undefined : await natsServers({ command, folder, environment, onExit: note });
  const nodes = nodesOf(
    { count, port, folder, terminal, format: lineFormat(settings, environment, terminal.isInteractive) },
    {
      // Twice the probe interval of the load balancer.
      SERVICE_CLUSTER_LEAVE_MS: "1s",
      ...environment,
      SERVICE_CLUSTER: store ?? `${servers?.url}/sluice`,
      ...(servers === undefined ? {} : { SERVICE_CLUSTER_REPLICAS: replicas }),
      SERVICE_HOST: host,
      SERVICE_LOG_FORMAT: "json",
      SERVICE_DEPLOY_TOKEN: token,
    },
  );
  let balancer: LoadBalancer | undefined;
  const stop = async (): Promise<void> => {
    await balancer?.close();
    await Promise.all(nodes.map((node) => node.process.stop()));
    // The nodes use the store until they have stopped.
    await Promise.all((servers?.processes ?? []).map((server) => server.stop()));
  };
  const interrupted = waitForAbort(signal);
  const starting = (async () => {
    if (servers !== undefined) {
      note("Starting three NATS servers …");
      await Promise.all(servers.processes.map((server) => server.start()));
    }
    note(`Starting ${count} ${count === 1 ? "node" : "nodes"} …`);
    await Promise.all(nodes.map((node) => node.process.start()));
    balancer = await startLoadBalancer(host, port, () => nodes.flatMap(({ url }) => url ?? [])).catch(async (error: unknown) => {
      // Another process may have taken the port in the meantime.
      throw new CommandError((await listenErrorText(error, runtimeAddress)) ?? (error as Error).message);
    });
    note(announcement(balancer.port, nodes, deployToken === undefined ? join(folder, "deploy-token") : undefined));
  })();
  try {
    await Promise.race([starting, interrupted]);
    await interrupted;
  } finally {
    starting.catch(() => undefined);
    note("Stopping …");
    await stop();
  }
  return 0;
}

/** Creates the folder; returns the deploy token, which is created in the folder unless it is configured. */
async function prepareFolder(folder: string, configuredToken: string | undefined): Promise<string> {
  try {
    createFolderSync(folder, 0o750);
    return configuredToken ?? deployTokenFile(folder).token;
  } catch (error) {
    throw await toStartError(error);
  }
}

interface NodeOptions {
  readonly count: number;
  readonly port: number;
  readonly folder: string;
  readonly terminal: Terminal;
  readonly format: LineFormat;
}

function nodesOf({ count, port, folder, terminal, format }: NodeOptions, environment: NodeJS.ProcessEnv): readonly Node[] {
  const shown = (line: string): string => (format === undefined ? line : format(Buffer.from(line)).toString("utf8"));
  return Array.from({ length: count }, (_, index) => {
    const name = `node-${index + 1}`;
    const node: Node = {
      name,
      url: undefined,
      process: new SupervisedProcess({
        name,
        command: process.execPath,
        args: [commandFile, "run"],
        env: {
          ...environment,
          SERVICE_NODE: name,
          SERVICE_PORT: String(port === 0 ? 0 : port + index + 1),
          SERVICE_DATA_DIR: join(folder, name),
        },
        ownProcessGroup: false,
        onLine(line) {
          const url = announcedUrl(line);
          if (url === undefined) terminal.write(`${name} | ${shown(line)}`);
          else node.url = url;
          return url !== undefined;
        },
        onExit(message) {
          node.url = undefined;
          terminal.note(message);
        },
      }),
    };
    return node;
  });
}

/** The base URL in the line that a runtime prints when it is ready. */
function announcedUrl(line: string): string | undefined {
  if (!line.includes('"baseUrl"')) return undefined;
  try {
    const { baseUrl } = JSON.parse(line) as { readonly baseUrl?: string };
    return baseUrl;
  } catch {
    return undefined;
  }
}

function configuration(flags: Values): {
  readonly settings: Settings;
  readonly environment: NodeJS.ProcessEnv;
  readonly deployToken: string | undefined;
  readonly store: string | undefined;
} {
  const { settings, environment } = readConfiguration({ logFormat: textFlag(flags, "logFormat") });
  const deployToken = settings.deployToken?.trim();
  const flag = textFlag(flags, "store");
  const store = flag ?? environment["SERVICE_CLUSTER"]?.trim();
  if (store !== undefined && store !== "") checkStore(store, flag === undefined ? "SERVICE_CLUSTER" : "--store");
  return {
    settings,
    environment,
    deployToken: deployToken === "" ? undefined : deployToken,
    store: store === "" ? undefined : store,
  };
}

/** Checked before a node is started, with the runtime's own reader: its messages do not repeat the address, which may contain a password. */
function checkStore(store: string, source: string): void {
  try {
    readClusterTarget(store);
  } catch (error) {
    throw error instanceof SettingsError ? new UsageError(error.messages.map((message) => message.replace(/^SERVICE_CLUSTER/, source)).join("\n")) : error;
  }
}

async function assertPortsFree(port: number, count: number): Promise<void> {
  if (port === 0) return;
  for (let candidate = port; candidate <= port + count; candidate++)
    if (!(await isFree(candidate, host)))
      throw new CommandError(`${busyPortText(candidate)}: stop that process, or use other ports with --port (0: any free ports)`);
}

function announcement(port: number, nodes: readonly Node[], tokenFile: string | undefined): string {
  const baseUrl = `http://${host}:${port}`;
  const width = "Load balancer ".length;
  const last = nodes.at(-1) as Node;
  return [
    "",
    `Load balancer ${baseUrl}`,
    ...nodes.map(({ name, url, process }) => `${name.padEnd(width)}${url}  pid ${process.pid}`),
    `${"Deploy token".padEnd(width)}${tokenFile ?? "from SERVICE_DEPLOY_TOKEN"}`,
    "",
    "Deploy a flow to all nodes:",
    `  ${firstFlowCommand(baseUrl, tokenFile === undefined ? "$SERVICE_DEPLOY_TOKEN" : `$(cat '${tokenFile}')`)}`,
    "Call it:",
    `  curl -X POST ${baseUrl}/api/hello -d '{"name":"Ada"}'`,
    "Kill a node. The others keep serving requests, and the node is restarted:",
    `  kill -9 ${last.process.pid}`,
    "",
  ].join("\n");
}
