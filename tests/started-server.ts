// A real runtime for end-to-end tests: a free port, its own data directory, and an API client.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeclaredStatuses } from "./declared-statuses.ts";
export { eventually } from "@sluice/testkit";
import { readConfiguration, startServer, type Configuration, type RunningServer } from "@sluice/server";

export const token = "T0ken-for-tests";

export interface ApiReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: any;
}

export interface StartedServer extends Omit<RunningServer, "api"> {
  readonly dataDir: string;
  readonly routesDir: string;
  /** Calls the management API with the token. */
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiReply>;
  putFlow(id: string, yaml: string, params?: unknown): Promise<ApiReply>;
  /** Its log so far. */
  logText(): string;
  /** Stops it and removes its data. */
  end(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly dataDir?: string;
  /** Values that override settings, including internal limits without an environment variable. */
  readonly limits?: Partial<Configuration["settings"]>;
}

/** Logs of stopped servers: a late line would be written to the next file that gets the same descriptor, so the last 20 stay open. */
const endedLogs: number[] = [];

function closeLater(output: number): void {
  if (endedLogs.push(output) > 20) closeSync(endedLogs.shift() as number);
}

export async function startTestServer({ env = {}, dataDir = mkdtempSync(join(tmpdir(), "sluice-")), limits = {} }: StartOptions = {}): Promise<StartedServer> {
  const logFile = join(dataDir, "log.txt");
  const output = openSync(logFile, "a");
  const variables = { SERVICE_PORT: "0", SERVICE_DEPLOY_TOKEN: token, SERVICE_DATA_DIR: dataDir, SERVICE_DRAIN_MS: "10s", ...env };
  const { settings, environment } = readConfiguration({}, variables);
  const server = await startServer({ settings: { ...settings, ...limits }, environment }, output);

  async function api(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<ApiReply> {
    const content = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const reply = await call(server.baseUrl, method, `/_api${path}`, content, { authorization: `Bearer ${token}`, ...headers });
    if (reply.status >= 400) await expectDeclared(server.baseUrl, method, path, reply);
    return reply;
  }

  return {
    ...server,
    dataDir,
    routesDir: join(dataDir, "routes"),
    api,
    putFlow: (id, yaml, params) => api("PUT", `/flows/${id}`, { yaml, ...(params === undefined ? {} : { params }) }),
    logText: () => readFileSync(logFile, "utf8"),
    async end() {
      await server.stop();
      closeLater(output);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

let declaredStatuses: DeclaredStatuses | undefined;

/** Fails when the OpenAPI document does not declare the status of an error reply. */
async function expectDeclared(baseUrl: string, method: string, path: string, reply: ApiReply): Promise<void> {
  if (declaredStatuses === undefined) {
    const { status, json } = await call(baseUrl, "GET", "/_api/openapi.json", undefined, { authorization: `Bearer ${token}` });
    if (status !== 200) return;
    declaredStatuses = new DeclaredStatuses(json);
  }
  const problem = declaredStatuses.problemOf(method, path, reply);
  if (problem !== undefined) throw new Error(problem);
}

export async function call(baseUrl: string, method: string, path: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiReply> {
  const response = await fetch(baseUrl + path, { method, headers, redirect: "manual", ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** A flow with one webhook that replies with fixed text. */
export const replyFlow = (routeId: string, text: string): string => `- route:
    id: ${routeId}
    from:
      uri: webhook
      steps:
        - setBody:
            constant: ${text}
`;

/** A flow with one direct route and these steps, as YAML lines of a list. */
export const directFlow = (name: string, ...steps: readonly string[]): string => `- route:
    id: ${name}
    from:
      uri: direct:${name}
      steps:
${steps.map((step) => `        - ${step}`).join("\n")}
`;

// real time: its callers give the reason.
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Follows a stream from now on. */
export async function followStream(target: Pick<StartedServer, "baseUrl">, path: string): Promise<{ text(): string; end(): Promise<string> }> {
  const abort = new AbortController();
  const response = await fetch(`${target.baseUrl}/_api${path}`, { headers: { authorization: `Bearer ${token}` }, signal: abort.signal });
  if (response.status !== 200) throw new Error(`${path} was rejected with ${response.status}: ${await response.text()}`);
  let text = "";
  const reading = (async () => {
    try {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(chunk).toString();
    } catch {
      // The test closed it.
    }
  })();
  return {
    text: () => text,
    async end(): Promise<string> {
      abort.abort();
      await reading;
      return text;
    },
  };
}
