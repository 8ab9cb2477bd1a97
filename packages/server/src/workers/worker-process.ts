// Entry point of a worker process. It is started and configured by the supervisor, and exits when the supervisor does.
import cluster from "node:cluster";
import type { Log } from "@sluice/engine";
import type { ExternalFlow, ExternalFlows } from "../flows/external-flows.ts";
import type { Announcement } from "../running-server.ts";
import type { ShutdownReport } from "../shutdown.ts";
import { Calls, type Envelope } from "./calls.ts";
import { startFollower } from "./follower.ts";
import { createLeader } from "./leader.ts";
import type { StartRequest } from "./messages.ts";
import { InFlightRuns } from "./in-flight-runs.ts";

interface Running {
  readonly log: Log;
  stop(): Promise<ShutdownReport>;
}

const calls = new Calls(cluster.worker?.id ?? 0, (message) => void (process.connected && process.send?.(message)));
const inFlightRuns = new InFlightRuns((changes) => calls.notify("supervisor", "in-flight", changes));
let running: Running | undefined;

// The terminal and the system signal the whole process group; the supervisor decides when workers stop.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.on("message", (message) => calls.receive(message as Envelope));
process.on("disconnect", () => process.exit(1));
process.on("uncaughtException", (error) => reportFault("Uncaught exception", error));
process.on("unhandledRejection", (error) => reportFault("Unhandled promise rejection", error));

calls.on("start", async (request: StartRequest): Promise<Announcement | undefined> => {
  if (request.role === "follower") {
    running = await startFollower({ configuration: request.configuration, socketPath: request.socketPath, calls, inFlightRuns });
    return undefined;
  }
  const { startLeaderServer, startNodeServer } = await import("../main.ts");
  const server =
    request.role === "node"
      ? await startNodeServer(request.configuration, externalFlows(request), request.position)
      : await startLeaderServer(request.configuration, externalFlows(request), createLeader(calls, request.socketPath, inFlightRuns));
  running = server;
  return server.announcement;
});

calls.on("stop", async (): Promise<{ readonly drained: boolean }> => {
  const report = await running?.stop();
  inFlightRuns.close();
  // Send the reply before disconnecting.
  setImmediate(() => process.disconnect());
  return { drained: report?.drained ?? true };
});

/** External flows are listed by the supervisor, which has the command line. */
function externalFlows({ externalFolders, isReplacement }: StartRequest): ExternalFlows | undefined {
  if (externalFolders === undefined) return undefined;
  return { folders: externalFolders, mayAllFail: isReplacement, list: () => calls.call<readonly ExternalFlow[]>("supervisor", "external-flows") };
}

function reportFault(text: string, error: unknown): void {
  if (running !== undefined) running.log.write("ERROR", "sluice", text, undefined, { error });
  else process.stderr.write(`${text}: ${(error as Error).stack ?? String(error)}\n`);
}

calls.notify("supervisor", "listening", undefined);
