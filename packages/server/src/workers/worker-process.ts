// A worker as a process: started by the supervisor, told what to be, and gone when the supervisor is.
import cluster from "node:cluster";
import type { Log } from "@sluice/engine";
import type { GivenFlow, GivenFlows } from "../flows/given-flows.ts";
import type { Announcement } from "../main.ts";
import type { ShutdownReport } from "../shutdown.ts";
import { Calls, type Envelope } from "./calls.ts";
import { startFollower } from "./follower.ts";
import { createLead } from "./lead.ts";
import type { StartOrder } from "./messages.ts";
import { UnderWay } from "./under-way.ts";

interface Running {
  readonly log: Log;
  stop(): Promise<ShutdownReport>;
}

const calls = new Calls(cluster.worker?.id ?? 0, (message) => void (process.connected && process.send?.(message)));
const underWay = new UnderWay((news) => calls.tell("supervisor", "under-way", news));
let running: Running | undefined;

// The terminal and the system signal every process of a group: when it ends is the supervisor's to say.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.on("message", (message) => calls.receive(message as Envelope));
process.on("disconnect", () => process.exit(1));
process.on("uncaughtException", (error) => fault("a fault was caught at the last moment", error));
process.on("unhandledRejection", (error) => fault("a rejected promise was caught at the last moment", error));

calls.on("start", async (order: StartOrder): Promise<Announcement | undefined> => {
  if (order.role === "follower") {
    running = await startFollower({ configuration: order.configuration, socketPath: order.socketPath, calls, underWay });
    return undefined;
  }
  const { startLeadServer } = await import("../main.ts");
  const server = await startLeadServer(order.configuration, givenFlows(order), createLead(calls, order.socketPath, underWay));
  running = server;
  return server.announcement;
});

calls.on("stop", async (): Promise<{ readonly drained: boolean }> => {
  const report = await running?.stop();
  underWay.close();
  // The answer goes out first.
  setImmediate(() => process.disconnect());
  return { drained: report?.drained ?? true };
});

/** The files a user named are looked for by the process that was given their names. */
function givenFlows({ givenFolders }: StartOrder): GivenFlows | undefined {
  if (givenFolders === undefined) return undefined;
  return { folders: givenFolders, list: () => calls.call<readonly GivenFlow[]>("supervisor", "given-flows") };
}

function fault(text: string, error: unknown): void {
  if (running !== undefined) running.log.write("ERROR", "sluice", text, undefined, { error });
  else process.stderr.write(`${text}: ${(error as Error).stack ?? String(error)}\n`);
}

calls.tell("supervisor", "here", undefined);
