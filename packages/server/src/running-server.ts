// The interface of a started runtime.
import type { Settings } from "./config.ts";
import type { InvokedMessage, InvokedRun } from "./embedding/invoke-in-process.ts";
import type { RequestHandler } from "./http/embedded-handler.ts";
import type { LocalReply } from "./http/local-call.ts";
import type { RuntimeLog } from "./log/runtime-log.ts";
import type { ShutdownReport } from "./shutdown.ts";

export interface RunningServer {
  /** Empty when no port is open. */
  readonly baseUrl: string;
  readonly port: number;
  /** Printed when the runtime is ready. */
  readonly announcement: Announcement;
  readonly log: RuntimeLog;
  /** Calls the management API in process; `path` is below `/_api`. */
  api(method: string, path: string, body?: unknown): Promise<LocalReply>;
  /** Serves requests received by another HTTP server in this process. */
  readonly handler: RequestHandler;
  /** Sends a message to a route directly, bypassing its trigger. */
  invoke(routeId: string, message: InvokedMessage): Promise<InvokedRun>;
  /** Drains and stops; reports the abandoned runs. */
  stop(): Promise<ShutdownReport>;
}

export interface Announcement {
  readonly baseUrl: string;
  readonly pid: number;
  readonly version: string;
  readonly flows: number;
  readonly failedFlows: number;
}

export function baseUrlOf(settings: Settings, port: number): string {
  const host = settings.host === "0.0.0.0" ? "127.0.0.1" : settings.host === "::" ? "::1" : settings.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
