// The way to a runtime's management API: where it is, the token, and answers in plain sentences when something is in the way.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readConfiguration, SettingsError } from "@sluice/server/config";
import { CommandError, textFlag, UsageError, type Values } from "../command/declaration.ts";

interface ApiReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  readonly json: any;
}

export interface Connection {
  readonly baseUrl: string;
  readonly token: string;
  /** Calls the management API; `path` is below `/_api`. A refused token and a runtime that does not answer are thrown. */
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiReply>;
  /** As `api`, and throws with the runtime's own sentence unless it answers with 2xx. */
  expect(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiReply>;
}

/** The runtime a command's flags and the environment name. */
export async function connect(flags: Values): Promise<Connection> {
  const { settings, environment } = configuration();
  const given = textFlag(flags, "runtime") ?? environment["SLUICE_RUNTIME"];
  const baseUrl = readUrl(given ?? `http://${settings.host === "0.0.0.0" ? "127.0.0.1" : settings.host}:${settings.port}`);
  return createConnection(baseUrl, await findToken(flags, baseUrl, settings.deployToken, settings.dataDir));
}

function configuration(): ReturnType<typeof readConfiguration> {
  try {
    return readConfiguration();
  } catch (error) {
    throw error instanceof SettingsError ? new UsageError(error.faults.join("\n")) : error;
  }
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new UsageError(`'${text}' is no http address: write for example http://127.0.0.1:8080`);
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
  // The token of this machine's own runtime is nobody else's business.
  const kept = isLocal(baseUrl) ? await readFile(join(resolve(dataDir), "deploy-token"), "utf8").catch(() => "") : "";
  return kept.trim();
}

export function createConnection(baseUrl: string, token: string): Connection {
  const api: Connection["api"] = async (method, path, body, headers = {}) => {
    const isText = typeof body === "string";
    const reply = await reach(baseUrl, `${baseUrl}/_api${path}`, {
      method,
      headers: {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || isText ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    const json = parsed(text);
    if (reply.status === 401) throw new CommandError(refusedToken(baseUrl, token));
    if (reply.status === 503 && /not configured/.test(text))
      throw new CommandError(`the runtime at ${baseUrl} has no deploy token: start it with SERVICE_DEPLOY_TOKEN set`);
    return { status: reply.status, headers: reply.headers, text, json };
  };
  return {
    baseUrl,
    token,
    api,
    async expect(method, path, body, headers) {
      const reply = await api(method, path, body, headers);
      if (reply.status >= 300) throw new CommandError(String(reply.json?.error ?? `${method} ${path} was answered with ${reply.status}`));
      return reply;
    },
  };
}

const refusedToken = (baseUrl: string, token: string): string =>
  token === ""
    ? `the runtime at ${baseUrl} wants its deploy token: set SERVICE_DEPLOY_TOKEN or give --token-file`
    : `the runtime at ${baseUrl} refused the deploy token: check SERVICE_DEPLOY_TOKEN or --token-file`;

/** `fetch` that says in a sentence why nobody answered. */
export async function reach(baseUrl: string, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if ((error as Error).name === "AbortError" || (error as Error).name === "TimeoutError") throw error;
    const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } };
    throw new CommandError(
      `no runtime answers at ${baseUrl} (${cause?.code ?? cause?.message ?? (error as Error).message}): start one with \`sluice start\`, or name another with --runtime`,
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
