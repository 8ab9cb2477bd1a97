// `sluice dev`: an in-process runtime whose trace and log events are printed.
import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { follow, type EventOf, type StreamName } from "@sluice/client";
import { startServer, type Configuration, type RunningServer } from "@sluice/server";
import { lineFormat } from "@sluice/server/log-line";
import { CommandError, isOn, listOf, textFlag, type Call, type Values } from "../../command/declaration.ts";
import { assignmentsOf } from "../../files/flow-params.ts";
import { withProjectFolders } from "../../files/project-settings.ts";
import { createConnection, type Connection } from "../../runtime/connection.ts";
import { workspaceErrorText } from "../../runtime/folder-error.ts";
import { designerAddress, listenErrorText } from "../../runtime/listen-error.ts";
import { withDesignerFlags } from "../designer/designer-flags.ts";
import { eventLine } from "../../runtime/event-lines.ts";
import { readExternalFlows } from "../run/external-flows.ts";
import { configurationOfFlags } from "../run/flag-configuration.ts";
import { waitForAbort } from "../run/wait-for-abort.ts";
import { logUncaughtErrors, toStartError } from "../run/run-run.ts";

export async function run(call: Call): Promise<number> {
  const { arguments: positionals, flags, terminal, signal } = call;
  const paths = listOf(positionals, "paths");
  const { settings, environment: variables } = await configurationOf(flags);
  const environment = withDesignerFlags(variables, flags, "designerPort");
  const params = assignmentsOf(listOf(flags, "param"));
  const flows = await readExternalFlows(paths.length === 0 ? ["."] : paths, { params, profile: settings.profile ?? "dev", environment });
  const temporaryDir = textFlag(flags, "dataDir") === undefined ? await mkdtemp(join(tmpdir(), "sluice-dev-")) : undefined;
  const output = openSync(devNull, "w");
  const token = settings.deployToken?.trim() || randomBytes(24).toString("base64url");
  let server: RunningServer | undefined;
  try {
    server = await startServer(
      {
        environment,
        settings: {
          ...settings,
          ...withProjectFolders(settings, flows?.files ?? []),
          dataDir: temporaryDir ?? settings.dataDir,
          deployToken: token,
          watch: true,
          breakpoints: environment["SERVICE_BREAKPOINTS"] === undefined || settings.breakpoints,
          drainMs: 2_000,
        },
      },
      output,
      flows,
    );
    logUncaughtErrors(server);
    const connection = createConnection(server.baseUrl, token);
    if (settings.workers > 1)
      terminal.note(`SERVICE_WORKERS=${settings.workers} is ignored: \`sluice dev\` uses one process; use \`sluice run\` for several workers`);
    const isJson = lineFormat(settings, environment, terminal.isInteractive) === undefined;
    await announce(connection, call, paths, isJson);
    const designer = isOn(flags, "designer") ? await openDesigner(connection, environment) : undefined;
    if (designer !== undefined) terminal.note(`Designer ${designer.url}`);
    const following = Promise.all([
      printEvents(call, isJson, follow(connection, "GET /logs/stream", { signal })),
      ...(isOn(flags, "quiet") ? [] : [printEvents(call, isJson, follow(connection, "GET /trace/stream", { query: { body: "preview" }, signal }))]),
    ]);
    await waitForAbort(signal);
    await following;
    await designer?.close();
    return 0;
  } catch (error) {
    throw server === undefined ? await toStartError(error, flags) : error;
  } finally {
    await server?.stop();
    closeSync(output);
    if (temporaryDir !== undefined) await rm(temporaryDir, { recursive: true, force: true });
  }
}

async function configurationOf(flags: Values): Promise<Configuration> {
  try {
    return configurationOfFlags(flags);
  } catch (error) {
    throw await toStartError(error, flags);
  }
}

/** Prints the address, the loaded flows, and the errors of the others. */
async function announce(connection: Connection, { terminal }: Call, paths: readonly string[], isJson: boolean): Promise<void> {
  const { style } = terminal;
  // Standard output then contains JSON only.
  const write = isJson ? terminal.note : terminal.write;
  terminal.note(
    `${style("bold", "Serving")} ${paths.length === 0 ? "." : paths.join(", ")} at ${connection.baseUrl}; watching for changes, press Ctrl-C to stop`,
  );
  const { flows } = await connection.call("GET /flows");
  for (const flow of flows) {
    if (flow.error === null) write(`${style("green", "✓")} ${flow.id}: ${flow.routes.map(({ id }) => id).join(", ")}`);
    else write(`${style("red", "✗")} ${flow.id}: ${flow.error}`);
  }
}

async function printEvents({ terminal }: Call, isJson: boolean, events: AsyncIterable<EventOf<StreamName>>): Promise<void> {
  for await (const event of events) {
    const text = isJson ? JSON.stringify(event.data) : eventLine(event, terminal);
    if (text !== undefined) terminal.write(text);
  }
}

async function openDesigner(
  connection: Connection,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { startDesigner } = await import("@sluice/designer/server");
  const { readDesignerSettings } = await import("../designer/designer-settings.ts");
  const { reportInternalError } = await import("../designer/run-designer.ts");
  try {
    return await startDesigner({
      ...readDesignerSettings(environment, connection.baseUrl),
      environment: { ...environment, SERVICE_DEPLOY_TOKEN: connection.token },
      onError: reportInternalError,
    });
  } catch (error) {
    throw new CommandError(
      (await listenErrorText(error, designerAddress)) ?? workspaceErrorText(error) ?? `the designer cannot start: ${(error as Error).message}`,
    );
  }
}
