// Helpers for tests with several workers: requests that may reach any worker, and information about the workers.
import { request } from "node:http";
import type { HeldPartner } from "./held-partner.ts";
import { connectionsFrom } from "./process-usage.ts";
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
    const outgoing = request(baseUrl + path, { method, agent: false, headers, timeout: 300_000 }, (incoming) => {
      replied = true;
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, body: text, headers: incoming.headers }));
      incoming.on("error", reject);
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("no response within 300 s")));
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

/** The statuses of calls; 0 for a call whose connection was lost. */
export const statusesOf = (count: number, baseUrl: string, path: string): Promise<readonly number[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      callOnNewConnection(baseUrl, path, String(index)).then(
        ({ status }) => status,
        () => 0,
      ),
    ),
  );

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
 * Waits until every worker has reported its counts and its runs in flight to the supervisor: a crash before that leaves no record of them. A worker
 * checks for runs every 50 ms and reports them at the second check, and counts every 250 ms. Timers fire in order, so each of two delays, one after
 * another, gives it the time for at least one check of each kind, however busy the machine is.
 */
export async function waitForReports(server: SpawnedServer): Promise<void> {
  await put(server, "pause", route("pause", "webhook", "delay: {constant: 300}", "delay: {constant: 300}"));
  const before = new Map((await workersOf(server)).map(({ pid, runs }) => [pid, runs]));
  await eventually(async () => {
    await callMany(2 * before.size, server.baseUrl, "/api/pause");
    return (await workersOf(server)).every(({ pid, runs }) => runs > (before.get(pid) ?? runs));
  });
}

/** Sends calls that wait for a partner until the given worker processes at least one of them. */
export async function heldCalls(
  server: SpawnedServer,
  { path, partner, isIn }: { readonly path: string; readonly partner: HeldPartner; readonly isIn: (worker: WorkerView) => boolean },
): Promise<HeldCalls> {
  // A worker may also keep an idle connection to the partner, so only those of the calls that wait count.
  const callsIn = ({ pid }: WorkerView): number => connectionsFrom(partner.callerPorts(), pid);
  const pending: Promise<readonly number[]>[] = [];
  for (let total = 6; ; total += 6) {
    pending.push(statusesOf(6, server.baseUrl, path));
    await eventually(() => partner.waiting() === total);
    const worker = (await workersOf(server)).find((candidate) => isIn(candidate) && callsIn(candidate) > 0);
    if (worker !== undefined) return { worker, total, inWorker: callsIn(worker), statuses: async () => (await Promise.all(pending)).flat() };
  }
}

export interface HeldCalls {
  readonly worker: WorkerView;
  /** Number of calls, and how many of them the worker processes. */
  readonly total: number;
  readonly inWorker: number;
  /** Resolves when all calls have ended; 0 is a call whose connection was lost. */
  statuses(): Promise<readonly number[]>;
}

/** The statuses of calls of which some were lost, in the order of `HeldCalls.statuses` when it is sorted. */
export const expectedStatuses = ({ total, inWorker }: HeldCalls): readonly number[] => [
  ...Array<number>(inWorker).fill(0),
  ...Array<number>(total - inWorker).fill(200),
];

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Follows an event stream until it is closed. */
export function follow(server: Pick<SpawnedServer, "baseUrl">, path: string): Promise<{ readonly events: any[]; close(): void }> {
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
