// `sluice start`: runtime and designer with default settings and a generated deploy token, for evaluation and development.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { startDesigner, type RunningDesigner } from "@sluice/designer/server";
import { readConfiguration, SettingsError } from "@sluice/server/config";
import { CommandError, UsageError, type Call } from "../../command/declaration.ts";
import { commandFile } from "../../command/package-files.ts";
import { busyPortText, commandWith, isFree, nextFreePort } from "../../runtime/busy-port.ts";
import { localUrl } from "../../runtime/local-url.ts";
import { deployTokenFile } from "./deploy-token-file.ts";
import { firstFlowCommand } from "./first-flow-command.ts";
import { readyUrl } from "./ready-url.ts";
import { designerPortErrorText, reportInternalError } from "../designer/run-designer.ts";
import { readDesignerSettings } from "../designer/designer-settings.ts";

export async function run({ terminal, signal }: Call): Promise<number> {
  let configuration;
  try {
    configuration = readConfiguration();
  } catch (error) {
    throw error instanceof SettingsError ? new UsageError(error.messages.join("\n")) : error;
  }
  const { settings, environment } = configuration;
  const configuredToken = settings.deployToken?.trim();
  const file = configuredToken === undefined || configuredToken === "" ? deployTokenFile(resolve(settings.dataDir)) : undefined;
  await assertPortFree(settings.host, settings.port, environment);
  const runtime = spawn(process.execPath, [commandFile, "run"], {
    // Breakpoints are off by default; here runtime and designer are used by the same person.
    env: { SERVICE_BREAKPOINTS: "true", ...environment, SERVICE_DEPLOY_TOKEN: file?.token ?? configuredToken },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => runtime.once("exit", resolve));
  const stop = (): void => void runtime.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const baseUrl = await readyUrl(runtime);
  if (baseUrl === undefined) return 1;
  const tokenPath = file?.path ?? "SERVICE_DEPLOY_TOKEN";
  const token = file?.token ?? configuredToken;
  const designer = await openDesigner({ ...environment, SERVICE_DEPLOY_TOKEN: token }, baseUrl);
  terminal.note(announcement(baseUrl, tokenPath, designer?.url, file !== undefined));
  const code = await exited;
  await designer?.close();
  return code ?? 1;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The command that the user typed. */
const startCommand = (environment: Environment): string => (environment["npm_lifecycle_event"] === "start" ? "npm start" : "sluice start");

/** Checked before the runtime starts, because the runtime's message names the options of another command. */
async function assertPortFree(host: string, port: number, environment: Environment): Promise<void> {
  if (port === 0 || (await isFree(port, host))) return;
  const designer = readDesignerSettings(environment, localUrl({ host, port }));
  const freePorts: Record<string, number> = { SERVICE_PORT: await nextFreePort(port, host, [designer.port]) };
  // If another Sluice instance uses the port, it usually uses the designer port as well.
  const isDesignerFree = designer.port === 0 || (await isFree(designer.port, designer.host));
  if (!isDesignerFree) freePorts["DESIGNER_PORT"] = await nextFreePort(designer.port, designer.host, [port, ...Object.values(freePorts)]);
  const busy = [port, ...(isDesignerFree ? [] : [designer.port])].map(busyPortText).join(" and ");
  throw new CommandError(`${busy}: stop that process, or use other ports: ${commandWith(freePorts, startCommand(environment))}`);
}

/** Starts the designer; if that fails, the runtime keeps running without it. */
async function openDesigner(environment: Environment, baseUrl: string): Promise<RunningDesigner | undefined> {
  try {
    return await startDesigner({ ...readDesignerSettings(environment, baseUrl), environment, onError: reportInternalError });
  } catch (error) {
    process.stderr.write(`The designer cannot start: ${(await designerPortErrorText(error, startCommand(environment))) ?? (error as Error).message}\n`);
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
