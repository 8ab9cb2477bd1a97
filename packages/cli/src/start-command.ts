// `sluice start`: everything on the embedded default, with a deploy token of its own, for a first look and for development.
import { spawn, type ChildProcess } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { readConfiguration, SettingsError } from "@sluice/server";
import { deployTokenFile } from "./deploy-token-file.ts";
import { firstFlowCommand, serveLandingPage } from "./landing-page.ts";

export function startCommand(): Command {
  return new Command("start")
    .description("Start the runtime and the pages beside it, with a deploy token made once and kept in the data directory.")
    .addHelpText("after", "\nSettings come from the environment: SERVICE_PORT, SERVICE_HOST, SERVICE_DATA_DIR, DESIGNER_PORT; `sluice run --help` lists them all.\n\nExample:\n  sluice start")
    .action(() => start());
}

async function start(): Promise<void> {
  let configuration;
  try {
    configuration = readConfiguration();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.faults.join("\n")}\n`);
    process.exitCode = 2;
    return;
  }
  const { settings, environment } = configuration;
  const given = settings.deployToken?.trim();
  const file = given === undefined || given === "" ? deployTokenFile(resolve(settings.dataDir)) : undefined;
  const runtime = spawn(process.execPath, [fileURLToPath(new URL("main.js", import.meta.url)), "run"], {
    env: { ...environment, SERVICE_DEPLOY_TOKEN: file?.token ?? given },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const baseUrl = await readyUrl(runtime);
  if (baseUrl === undefined) {
    process.exitCode = 1;
    return;
  }
  const tokenPath = file?.path ?? "SERVICE_DEPLOY_TOKEN";
  const page = await serveLandingPage({ host: "127.0.0.1", port: pagePort(environment["DESIGNER_PORT"]), runtimeUrl: baseUrl, tokenPath }).catch((error: NodeJS.ErrnoException) => {
    process.stderr.write(`The page beside the runtime cannot start (${error.code ?? error.message}): set DESIGNER_PORT to a free port.\n`);
    return undefined;
  });
  announce(baseUrl, tokenPath, page?.url, file !== undefined);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => runtime.kill(signal));
  runtime.once("exit", (code) => {
    void page?.close();
    process.exitCode = code ?? 1;
  });
}

function pagePort(text: string | undefined): number {
  return text !== undefined && /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : 8090;
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

function announce(baseUrl: string, tokenPath: string, pageUrl: string | undefined, hasFile: boolean): void {
  const lines = [
    "",
    `Runtime       ${baseUrl}`,
    ...(pageUrl === undefined ? [] : [`Page          ${pageUrl}`]),
    `Deploy token  ${hasFile ? tokenPath : "as given in SERVICE_DEPLOY_TOKEN"}`,
    "",
    "Install a first flow:",
    `  ${hasFile ? firstFlowCommand(baseUrl, tokenPath) : `curl -X PUT ${baseUrl}/_api/flows/hello -H "Authorization: Bearer $SERVICE_DEPLOY_TOKEN" …`}`,
    "and call it:",
    `  curl -X POST ${baseUrl}/api/hello -d '{"name":"Ada"}'`,
    "",
  ];
  process.stderr.write(`${lines.join("\n")}\n`);
}
