// Connects to the management API of a runtime: finds its URL and token, and converts errors to readable messages.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createClient, type ApiClient, type ApiError } from "@sluice/client";
import { readConfiguration } from "@sluice/server/config";
import { readProblem } from "../files/read-problem.ts";
import { CommandError, textFlag, UsageError, type Values } from "../command/declaration.ts";
import { localUrl } from "./local-url.ts";
import { flagName } from "./query-flags.ts";

/** The management API of a runtime; rejected calls throw a CommandError with the runtime's message. */
export interface Connection extends ApiClient {
  readonly baseUrl: string;
  readonly token: string;
}

/** A call that the runtime rejected. */
class RejectedCall extends CommandError {
  readonly status: number;
  readonly code: string | undefined;

  constructor({ status, code }: ApiError, message: string, exit?: number) {
    super(message, exit);
    this.status = status;
    this.code = code;
  }
}

/** Whether the runtime rejected a call with this error code. */
export const isRejectedAs = (error: unknown, code: string): error is CommandError => error instanceof RejectedCall && error.code === code;

/** The result of a call, or undefined for a 404. */
export async function ifFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RejectedCall && error.status === 404) return undefined;
    throw error;
  }
}

/** Opens the runtime selected by flags and environment. */
export async function connect(flags: Values): Promise<Connection> {
  const { settings, environment } = readConfiguration();
  const runtimeUrl = textFlag(flags, "runtime") ?? environment["SLUICE_RUNTIME"];
  const source = textFlag(flags, "runtime") === undefined ? "SLUICE_RUNTIME" : "--runtime";
  const baseUrl = readUrl(runtimeUrl ?? localUrl(settings), source);
  return createConnection(baseUrl, await findToken(flags, baseUrl, settings.deployToken, settings.dataDir));
}

function readUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new UsageError(`'${text}' is not an HTTP URL: use for example http://127.0.0.1:8080`);
  const path = url.pathname.replace(/\/+$/, "");
  const runtimePath = path.replace(/\/_api(\/.*)?$/, "");
  if (runtimePath !== path) throw new UsageError(`${source} must be the URL of the runtime without '/_api': use ${url.origin}${runtimePath}`);
  return `${url.origin}${path}`;
}

const isLocal = (baseUrl: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseUrl).hostname);

async function findToken(flags: Values, baseUrl: string, configured: string | undefined, dataDir: string): Promise<string> {
  const file = textFlag(flags, "tokenFile");
  if (file !== undefined) {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`the token file '${file}' ${readProblem(error.code)}`);
    });
    return sendable(text, `the token file '${file}'`);
  }
  if (configured !== undefined && configured.trim() !== "") return sendable(configured, "SERVICE_DEPLOY_TOKEN");
  // The local token must only be sent to the local runtime.
  const localFile = join(resolve(dataDir), "deploy-token");
  return sendable(isLocal(baseUrl) ? await readFile(localFile, "utf8").catch(() => "") : "", `the token file '${localFile}'`);
}

/** A token is sent in a header. */
function sendable(text: string, source: string): string {
  const token = text.trim();
  if (/[^\x20-\x7E\x80-\xFF]/.test(token))
    throw new UsageError(`${source} has characters that a header cannot contain: check that it contains the deploy token and nothing else`);
  return token;
}

/** Timeout of a deployment, which may wait for tests and in-flight runs. */
const timeoutMs = 600_000;

export function createConnection(baseUrl: string, token: string): Connection {
  return { baseUrl, token, ...createClient({ baseUrl, token, timeoutMs, toError: (error) => commandError(baseUrl, token, error) }) };
}

function commandError(baseUrl: string, token: string, error: ApiError): CommandError {
  const { status, message } = error;
  if (status === 0) return new CommandError(unreachableMessage(baseUrl, error));
  if (status === 401) return new CommandError(tokenMessage(baseUrl, token));
  if (status === 503 && /not configured/.test(message))
    return new CommandError(`the runtime at ${baseUrl} has no deploy token: start it with SERVICE_DEPLOY_TOKEN set`);
  // Query parameters have the values of flags.
  if (error.code === "query-invalid") return new RejectedCall(error, inFlags(message), 2);
  return new RejectedCall(error, message);
}

/** A message of the API about a query parameter, with the name of its flag. */
function inFlags(message: string): string {
  return message.replace(/^[a-z]+(Id)?\b/i, (parameter) => (parameter === "by" ? "SLUICE_AUTHOR" : `--${flagName(parameter)}`));
}

const tokenMessage = (baseUrl: string, token: string): string =>
  token === ""
    ? `the runtime at ${baseUrl} requires a deploy token: set SERVICE_DEPLOY_TOKEN or pass --token-file`
    : `the runtime at ${baseUrl} rejected the deploy token: check SERVICE_DEPLOY_TOKEN or --token-file`;

function unreachableMessage(baseUrl: string, error: ApiError): string {
  const cause = error.cause as Error & { readonly cause?: NodeJS.ErrnoException };
  if (cause.name === "AbortError") return error.message;
  const reason = cause.cause?.code ?? cause.cause?.message ?? cause.message;
  return `no runtime at ${baseUrl} (${reason}): start one with \`sluice start\`, or pass another URL with --runtime`;
}
