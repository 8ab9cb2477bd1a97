// Connects to the management API of a runtime: finds its URL and token, and converts errors to readable messages.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createClient, type ApiClient, type ApiError } from "@sluice/client";
import { readConfiguration, SettingsError } from "@sluice/server/config";
import { CommandError, textFlag, UsageError, type Values } from "../command/declaration.ts";
import { localUrl } from "./local-url.ts";

/** The management API of a runtime; rejected calls throw a CommandError with the runtime's message. */
export interface Connection extends ApiClient {
  readonly baseUrl: string;
  readonly token: string;
}

/** A call that the runtime rejected. */
class RejectedCall extends CommandError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

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
  const { settings, environment } = configuration();
  const runtimeUrl = textFlag(flags, "runtime") ?? environment["SLUICE_RUNTIME"];
  const baseUrl = readUrl(runtimeUrl ?? localUrl(settings));
  return createConnection(baseUrl, await findToken(flags, baseUrl, settings.deployToken, settings.dataDir));
}

function configuration(): ReturnType<typeof readConfiguration> {
  try {
    return readConfiguration();
  } catch (error) {
    throw error instanceof SettingsError ? new UsageError(error.messages.join("\n")) : error;
  }
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new UsageError(`'${text}' is not an HTTP URL: use for example http://127.0.0.1:8080`);
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

const isLocal = (baseUrl: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseUrl).hostname);

async function findToken(flags: Values, baseUrl: string, configured: string | undefined, dataDir: string): Promise<string> {
  const file = textFlag(flags, "tokenFile");
  if (file !== undefined) {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`the token file '${file}' cannot be read: ${error.code}`);
    });
    return text.trim();
  }
  if (configured !== undefined && configured.trim() !== "") return configured.trim();
  // The local token must only be sent to the local runtime.
  const localToken = isLocal(baseUrl) ? await readFile(join(resolve(dataDir), "deploy-token"), "utf8").catch(() => "") : "";
  return localToken.trim();
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
  return new RejectedCall(status, message);
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
