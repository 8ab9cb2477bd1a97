// `sluice start`: runtime and designer with default settings and a generated deploy token, for evaluation and development.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { startDesigner, type RunningDesigner } from "@sluice/designer/server";
import type { Configuration } from "@sluice/server/config";
import { lineFormat, type LineFormat } from "@sluice/server/log-line";
import { CommandError, type Call, type Values } from "../../command/declaration.ts";
import { commandFile } from "../../command/package-files.ts";
import { busyPortText, isFree, nextFreePort } from "../../runtime/busy-port.ts";
import { workspaceErrorText } from "../../runtime/folder-error.ts";
import { designerAddress, listenErrorText } from "../../runtime/listen-error.ts";
import { localUrl } from "../../runtime/local-url.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { withDesignerFlags } from "../designer/designer-flags.ts";
import { readDesignerSettings } from "../designer/designer-settings.ts";
import { reportInternalError } from "../designer/run-designer.ts";
import { configurationOfFlags } from "../run/flag-configuration.ts";
import { toStartError } from "../run/run-run.ts";
import { settingArguments, settingVariables } from "../run/setting-flags.ts";
import { deployTokenFile, type TokenFile } from "./deploy-token-file.ts";
import { firstFlowCommand } from "./first-flow-command.ts";
import { readyUrl } from "./ready-url.ts";

export async function run(call: Call): Promise<number> {
  const { flags, terminal, signal } = call;
  const { settings, environment: variables } = await configurationOf(flags);
  const environment = withDesignerFlags({ ...variables, ...settingVariables(flags) }, flags, "designerPort");
  const configuredToken = settings.deployToken?.trim();
  await assertPortsFree(settings, environment);
  const file = configuredToken === undefined || configuredToken === "" ? await tokenFileIn(settings.dataDir) : undefined;
  const runtime = spawn(process.execPath, [commandFile, "run", ...settingArguments(flags)], {
    // Breakpoints are off by default; here runtime and designer are used by the same person. This process formats the log.
    env: { SERVICE_BREAKPOINTS: "true", ...environment, SERVICE_LOG_FORMAT: "json", SERVICE_DEPLOY_TOKEN: file?.token ?? configuredToken },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => runtime.once("exit", resolve));
  const stop = (): void => void runtime.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const baseUrl = await readyUrl(runtime.stdout, logWriter(terminal, lineFormat(settings, environment, terminal.isInteractive)));
  if (baseUrl === undefined) {
    const code = await exited;
    file?.discard();
    return code ?? 1;
  }
  const tokenPath = file?.path ?? "SERVICE_DEPLOY_TOKEN";
  const token = file?.token ?? configuredToken;
  const designer = await openDesigner({ ...environment, SERVICE_DEPLOY_TOKEN: token }, baseUrl, terminal);
  terminal.note(announcement(baseUrl, tokenPath, designer?.url, file !== undefined));
  const code = await exited;
  await designer?.close();
  return code ?? 1;
}

type Environment = Readonly<Record<string, string | undefined>>;

async function configurationOf(flags: Values): Promise<Configuration> {
  try {
    return configurationOfFlags(flags);
  } catch (error) {
    throw await toStartError(error, flags);
  }
}

async function tokenFileIn(dataDir: string): Promise<TokenFile> {
  try {
    return deployTokenFile(resolve(dataDir));
  } catch (error) {
    throw await toStartError(error);
  }
}

/** Writes the lines of the runtime. The text for people does not repeat the address, which this command announces itself. */
function logWriter({ write }: Terminal, format: LineFormat): (line: string, isReady: boolean) => void {
  if (format === undefined) return write;
  return (line, isReady) => {
    if (!isReady) write(format(Buffer.from(line)).toString("utf8"));
  };
}

/** The command that the user typed, to which flags can be added. */
const startCommand = (environment: Environment): string => (environment["npm_lifecycle_event"] === "start" ? "npm start --" : "sluice start");

/** Checked before the runtime starts, so that one message names all ports that are in use. */
async function assertPortsFree({ host, port }: { readonly host: string; readonly port: number }, environment: Environment): Promise<void> {
  const designer = readDesignerSettings(environment, localUrl({ host, port }));
  const isRuntimeFree = port === 0 || (await isFree(port, host));
  const isDesignerFree = designer.port === 0 || (await isFree(designer.port, designer.host));
  // The runtime can run without the designer.
  if (isRuntimeFree) return;
  const free = await nextFreePort(port, host, [designer.port]);
  const others = isDesignerFree ? "" : ` --designer-port ${await nextFreePort(designer.port, designer.host, [port, free])}`;
  const busy = [port, ...(isDesignerFree ? [] : [designer.port])].map(busyPortText).join(" and ");
  throw new CommandError(`${busy}: stop that process, or use other ports: \`${startCommand(environment)} --port ${free}${others}\``);
}

/** Starts the designer; if that fails, the runtime keeps running without it. */
async function openDesigner(environment: Environment, baseUrl: string, terminal: Terminal): Promise<RunningDesigner | undefined> {
  try {
    return await startDesigner({ ...readDesignerSettings(environment, baseUrl), environment, onError: reportInternalError });
  } catch (error) {
    terminal.note(`The designer cannot start: ${(await listenErrorText(error, designerAddress)) ?? workspaceErrorText(error) ?? (error as Error).message}`);
    return undefined;
  }
}

function announcement(baseUrl: string, tokenPath: string, designerUrl: string | undefined, hasFile: boolean): string {
  const lines = [
    "",
    `Runtime       ${baseUrl}`,
    ...(designerUrl === undefined ? [] : [`Designer      ${designerUrl}`]),
    `Deploy token  ${hasFile ? tokenPath : "from SERVICE_DEPLOY_TOKEN"}`,
    "",
    designerUrl === undefined
      ? "Deploy a flow from the command line:"
      : "Open the designer and deploy the sample flow, or deploy a flow from the command line:",
    `  ${firstFlowCommand(baseUrl, hasFile ? `$(cat '${tokenPath}')` : "$SERVICE_DEPLOY_TOKEN")}`,
    "Call it:",
    `  curl -X POST ${baseUrl}/api/hello -d '{"name":"Ada"}'`,
    "",
  ];
  return lines.join("\n");
}
