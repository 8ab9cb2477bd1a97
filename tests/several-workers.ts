// Helpers for tests with several workers: requests that may reach any worker, and information about the workers.
import { request } from "node:http";
import type { SpawnedServer } from "./spawned-server.ts";
import { eventually, token } from "./started-server.ts";

export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** One request on a separate connection, so that each request may reach a different worker. */
export function callOnNewConnection(
  baseUrl: string,
  path: string,
  body = "x",
  headers: Readonly<Record<string, string>> = {},
  method = "POST",
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let replied = false;
    const outgoing = request(baseUrl + path, { method, agent: false, headers, timeout: 60_000 }, (incoming) => {
      replied = true;
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, body: text, headers: incoming.headers }));
      incoming.on("error", reject);
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("no response within 60 s")));
    // A rejected body is not always read to its end.
    outgoing.on("error", (error) => replied || reject(error));
    if (headers["expect"] === undefined) outgoing.end(method === "GET" ? undefined : body);
    else {
      outgoing.on("continue", () => outgoing.end(body));
      outgoing.flushHeaders();
    }
  });
}

export const callMany = (count: number, baseUrl: string, path: string, headers?: Readonly<Record<string, string>>): Promise<readonly Reply[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => callOnNewConnection(baseUrl, path, String(index), headers)));

export const countReplies = (replies: readonly Reply[]): Readonly<Record<string, number>> => {
  const found: Record<string, number> = {};
  for (const { status, body } of replies) found[`${status} ${body}`] = (found[`${status} ${body}`] ?? 0) + 1;
  return found;
};

export const route = (id: string, uri: string, ...steps: readonly string[]): string => `- route:
    id: ${id}
    from:
      uri: ${uri}
      steps:
${steps.map((step) => `        - ${step}`).join("\n")}
`;

/** Installs a flow that must be accepted. */
export async function put(server: SpawnedServer, id: string, yaml: string): Promise<void> {
  const { status, text } = await server.putFlow(id, yaml);
  if (status >= 300) throw new Error(`flow '${id}' was rejected: ${text}`);
}

export interface WorkerView {
  readonly pid: number;
  readonly leads: boolean;
  readonly runs: number;
}

export const workersOf = async (server: SpawnedServer): Promise<readonly WorkerView[]> =>
  ((await server.api("GET", "/health")).json?.workers as WorkerView[] | undefined) ?? [];

/** Waits until that many runs of a route are in flight, in all workers together. */
export const waitForRuns = (server: SpawnedServer, routeId: string, count: number): Promise<void> =>
  eventually(async () => (await server.api("GET", `/runs?routeId=${routeId}&status=running&limit=100`)).json.total >= count);

/**
 * How long tests wait before they kill a worker. A worker reports its runs at the second poll, about 100 ms after they began on an idle machine; a
 * crash before that leaves no record of them.
 */
export const reportDelayMs = 1_500;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Follows an event stream until it is closed. */
export function follow(server: SpawnedServer, path: string): Promise<{ readonly events: any[]; close(): void }> {
  return new Promise((resolve, reject) => {
    const events: any[] = [];
    const outgoing = request(`${server.baseUrl}/_api${path}`, { agent: false, headers: { authorization: `Bearer ${token}` } }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
        const frames = text.split("\n\n");
        text = frames.pop() as string;
        for (const frame of frames) {
          const data = /^data: (.*)$/m.exec(frame)?.[1];
          if (data !== undefined) events.push(JSON.parse(data));
        }
        if (frames.length > 0) resolve({ events, close: () => outgoing.destroy() });
      });
      incoming.on("error", () => undefined);
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}
