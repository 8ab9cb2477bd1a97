// The public types of the library. They import nothing but Node's own types, so that the package's declarations are complete.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { SluiceSettings } from "./settings.ts";

/** All settings of the runtime by name, plus those of an embedded runtime. Settings are never read from the environment. */
export interface SluiceOptions extends SluiceSettings {
  /** Flows to install before `createSluice` resolves, by id. */
  readonly flows?: Readonly<Record<string, string | FlowSource>>;
  /** Environment variables that flows may read with `env:`; default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Receives every log record of at least `logLevel`. Without it nothing is logged. */
  readonly onLog?: (record: LogRecord) => void;
}

export interface FlowSource {
  readonly yaml: string;
  /** Values of the flow's `{{placeholders}}`. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The text of a test file; the flow is installed only if its tests pass. The tests run on a separate loopback port. */
  readonly tests?: string;
}

export interface LogRecord {
  readonly time: Date;
  readonly level: "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR";
  readonly logger: string;
  readonly message: string;
  readonly flowId?: string;
  readonly routeId?: string;
  readonly runId?: string;
  readonly error?: unknown;
}

export interface DeployedFlow {
  readonly id: string;
  readonly created: boolean;
  readonly changed: boolean;
  readonly hash: string;
  readonly warnings: readonly string[];
  readonly routes: readonly DeployedRoute[];
}

export interface DeployedRoute {
  readonly id: string;
  readonly from: string;
  readonly status: string;
  /** The path of a webhook. */
  readonly url?: string;
}

export interface InvokeMessage {
  /** Text, bytes (`Uint8Array`) or plain data. It is copied. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Timeout of the run; default: the setting `runMs`. */
  readonly timeoutMs?: number;
}

export interface InvokeReply {
  readonly runId: string;
  /** Text, bytes or plain data. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface ApiReply {
  readonly status: number;
  /** The parsed value of a JSON response, or the text of any other. */
  readonly body: unknown;
}

/** A request listener of `node:http` that can also be mounted as middleware. With `next`, requests that no flow serves are passed on. */
export type SluiceHandler = (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void;

/** A runtime inside this process. */
export interface Sluice {
  /** Installs or replaces a flow. Rejects with a SluiceError if the flow is invalid; the previous version keeps running. */
  deploy(id: string, flow: string | FlowSource): Promise<DeployedFlow>;
  /** Removes a flow after its runs have ended. */
  remove(id: string): Promise<void>;
  /** Sends a message directly to a route and resolves with its reply. Rejects with a SluiceError when the run fails. */
  invoke(routeId: string, message?: InvokeMessage): Promise<InvokeReply>;
  /** Calls the management API without a socket and without a token; `path` is below `/_api`, such as `/runs?limit=10`. */
  api(method: string, path: string, body?: unknown): Promise<ApiReply>;
  readonly handler: SluiceHandler;
  /** The address of the port; undefined unless `port` was set. */
  readonly baseUrl: string | undefined;
  /** Stops the runtime after in-flight runs finish, at most `drainMs`; `drained` is false if runs were aborted. */
  close(): Promise<{ readonly drained: boolean }>;
}
