// `sluice start`: everything on the embedded default, with a deploy token of its own, for a first look and for development.
import { spawn, type ChildProcess } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { startDesigner, type RunningDesigner } from "@sluice/designer/server";
import { readConfiguration, SettingsError } from "@sluice/server/config";
import { commandFile } from "../../command/command-file.ts";
import { UsageError, type Call } from "../../command/declaration.ts";
import { deployTokenFile } from "./deploy-token-file.ts";
import { onFault } from "../designer/run-designer.ts";
import { readDesignerSettings } from "../designer/designer-settings.ts";

export async function run({ terminal, signal }: Call): Promise<number> {
  let configuration;
  try {
    configuration = readConfiguration();
  } catch (error) {
    throw error instanceof SettingsError ? new UsageError(error.faults.join("\n")) : error;
  }
  const { settings, environment } = configuration;
  const given = settings.deployToken?.trim();
  const file = given === undefined || given === "" ? deployTokenFile(resolve(settings.dataDir)) : undefined;
  const runtime = spawn(process.execPath, [commandFile, "run"], {
    env: { ...environment, SERVICE_DEPLOY_TOKEN: file?.token ?? given },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => runtime.once("exit", resolve));
  const baseUrl = await readyUrl(runtime);
  if (baseUrl === undefined) return 1;
  const tokenPath = file?.path ?? "SERVICE_DEPLOY_TOKEN";
  const token = file?.token ?? given;
  const designer = await openDesigner({ ...environment, SERVICE_DEPLOY_TOKEN: token }, baseUrl);
  terminal.note(announcement(baseUrl, tokenPath, designer?.url, file !== undefined));
  signal.addEventListener("abort", () => runtime.kill("SIGTERM"), { once: true });
  const code = await exited;
  await designer?.close();
  return code ?? 1;
}

/** The designer for this runtime; the runtime goes on without it when it cannot start. */
async function openDesigner(environment: Readonly<Record<string, string | undefined>>, baseUrl: string): Promise<RunningDesigner | undefined> {
  try {
    return await startDesigner({ ...readDesignerSettings(environment, baseUrl), environment, onFault });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    process.stderr.write(`The designer cannot start: ${code === "EADDRINUSE" ? "set DESIGNER_PORT to a free port" : message}.\n`);
    return undefined;
  }
}

/** The base URL from the runtime's first line; its later lines, the log, are passed on. Undefined when it ended instead. */
function readyUrl(runtime: ChildProcess): Promise<string | undefined> {
  const lines = createInterface({ input: runtime.stdout as NodeJS.ReadableStream });
  return new Promise((ready) => {
    let first = true;
    runtime.once("exit", () => ready(undefined));
    lines.on("line", (line) => {
      if (!first) process.stdout.write(`${line}\n`);
      else {
        first = false;
        process.stdout.write(`${line}\n`);
        ready((JSON.parse(line) as { baseUrl: string }).baseUrl);
      }
    });
  });
}

function announcement(baseUrl: string, tokenPath: string, designerUrl: string | undefined, hasFile: boolean): string {
  const lines = [
    "",
    `Runtime       ${baseUrl}`,
    ...(designerUrl === undefined ? [] : [`Designer      ${designerUrl}`]),
    `Deploy token  ${hasFile ? tokenPath : "as given in SERVICE_DEPLOY_TOKEN"}`,
    "",
    ...(designerUrl === undefined ? [] : ["Open the designer and press Deploy on the sample flow, or install a first flow by hand:"]),
    `  ${firstFlowCommand(baseUrl, hasFile ? `$(cat '${tokenPath}')` : "$SERVICE_DEPLOY_TOKEN")}`,
    "and call it:",
    `  curl -X POST ${baseUrl}/api/hello -d '{"name":"Ada"}'`,
    "",
  ];
  return lines.join("\n");
}

/** The `curl` line that installs a first flow; it works when pasted as it is. */
function firstFlowCommand(runtimeUrl: string, token: string): string {
  const yaml = "- route: {id: hello, from: {uri: webhook, steps: [{log: '${body}'}]}}";
  return `curl -X PUT ${runtimeUrl}/_api/flows/hello -H "Authorization: Bearer ${token}" -H 'Content-Type: application/yaml' --data-binary "${yaml.replaceAll("$", "\\$")}"`;
}
