// A model of the stored state: objects by key, each with its last acknowledged value. One change may be in progress when the process is killed; for
// that object either value is valid.
import { expect } from "vitest";
import { sha256 } from "../sha256.ts";
import type { SpawnedServer } from "../spawned-server.ts";
import { call, replyFlow, type ApiReply } from "../started-server.ts";

export type Kind = "flow" | "table" | "document" | "policy" | "message" | "deadLetter";
export const kinds: readonly Kind[] = ["flow", "table", "document", "policy", "message", "deadLetter"];

export interface Change {
  readonly kind: Kind;
  readonly id: string;
  /** Undefined if the change removes the object. */
  readonly value: string | undefined;
}

const flowText = (id: string, value: string): string => replyFlow(`route-${id}`, value);
const table = (value: string): object => ({ entries: { key: value } });
const mapping = (value: string): object => ({ source: { format: "json" }, target: { format: "json" }, map: [{ to: "value", value }] });
const policy = (key: string): object => ({ authenticate: [{ type: "apiKey", keys: [{ id: "caller", key }] }] });

/** Permanent routes: one puts its messages into a queue without a consumer, the other sends its messages to the dead letters. */
export const storeFlow = `- route:
    id: enqueue
    from:
      uri: webhook
      steps:
        - to: queue:parked
- route:
    id: dead-letter
    errorHandler: {deadLetterChannel: {deadLetterUri: "sluice:dead-letters"}}
    from:
      uri: webhook
      steps:
        - throwException: {exceptionType: java.lang.Exception, message: "as requested"}
`;

/** Moves everything in the queue to the dead letters, so that it can be inspected. */
export const drainFlow = `- route:
    id: drain
    from:
      uri: queue:parked?maximumRedeliveries=0
      steps:
        - throwException: {exceptionType: java.lang.Exception, message: "seen"}
`;

export class Model {
  readonly acknowledged = new Map<string, string>();
  /** The change in progress, or the one that got no response. */
  unacknowledged: Change | undefined = undefined;

  settle({ kind, id, value }: Change): void {
    if (value === undefined) this.acknowledged.delete(`${kind} ${id}`);
    else this.acknowledged.set(`${kind} ${id}`, value);
  }

  /** The valid values of an object. */
  allowed(kind: Kind, id: string): readonly (string | undefined)[] {
    const { unacknowledged } = this;
    const acknowledged = this.acknowledged.get(`${kind} ${id}`);
    return unacknowledged?.kind === kind && unacknowledged.id === id ? [acknowledged, unacknowledged.value] : [acknowledged];
  }

  /** The ids of a kind that exist or may exist. */
  ids(kind: Kind): readonly string[] {
    const acknowledged = [...this.acknowledged.keys()].filter((key) => key.startsWith(`${kind} `)).map((key) => key.slice(kind.length + 1));
    const { unacknowledged } = this;
    return [...new Set([...acknowledged, ...(unacknowledged?.kind === kind ? [unacknowledged.id] : [])])];
  }
}

/** Makes a change; undefined when there was no response. */
export async function apply(server: SpawnedServer, { kind, id, value }: Change): Promise<ApiReply | undefined> {
  const put = (path: string, body: object | undefined): Promise<ApiReply> => (body === undefined ? server.api("DELETE", path) : server.api("PUT", path, body));
  const mapValue = <T>(make: (text: string) => T): T | undefined => (value === undefined ? undefined : make(value));
  const work: Readonly<Record<Kind, () => Promise<ApiReply>>> = {
    flow: () =>
      put(
        `/flows/${id}`,
        mapValue((text) => ({ yaml: flowText(id, text) })),
      ),
    table: () => put(`/value-mappings/${id}`, mapValue(table)),
    document: () => put(`/message-mappings/${id}`, mapValue(mapping)),
    policy: () => put(`/auth/${id}`, mapValue(policy)),
    message: () => call(server.baseUrl, "POST", "/api/enqueue", id),
    deadLetter: () => (value === undefined ? removeDeadLetter(server, id) : call(server.baseUrl, "POST", "/api/dead-letter", id)),
  };
  return work[kind]().catch(() => undefined);
}

async function removeDeadLetter(server: SpawnedServer, id: string): Promise<ApiReply> {
  const { deadLetters } = (await server.api("GET", `/dead-letters?text=${id}`)).json as { deadLetters: { id: string }[] };
  return server.api("DELETE", `/dead-letters/${deadLetters[0]?.id ?? "none"}`);
}

/** Compares everything with the model and records the value found for the unacknowledged change. */
export async function compare(server: SpawnedServer, model: Model, ids: readonly string[]): Promise<void> {
  const found: Change[] = [];
  for (const id of ids) found.push(await findFlow(server, model, id), await findPolicy(server, model, id));
  found.push(...(await findDocuments(server, model, ids)), ...(await findDeadLetters(server, model)));
  for (const change of found) expect(model.allowed(change.kind, change.id), `${change.kind} ${change.id}`).toContain(change.value);
  await compareDepth(server, model);
  for (const change of found) model.settle(change);
  for (const id of ids) await compareWebhook(server, model, id);
}

async function findFlow(server: SpawnedServer, model: Model, id: string): Promise<Change> {
  const reply = await server.api("GET", `/flows/${id}`);
  const value =
    reply.status === 404 ? undefined : model.allowed("flow", id).find((text) => text !== undefined && sha256(flowText(id, text)) === reply.json.hash);
  expect([200, 404]).toContain(reply.status);
  if (reply.status === 200) expect(value, `flow ${id} has unexpected text`).toBeDefined();
  return { kind: "flow", id, value };
}

async function findPolicy(server: SpawnedServer, model: Model, id: string): Promise<Change> {
  const reply = await server.api("GET", `/auth/${id}`);
  const fingerprint = reply.json.authenticate?.[0]?.keys?.[0]?.fingerprint as string | undefined;
  const value = model.allowed("policy", id).find((key) => key !== undefined && sha256(key).slice(0, 8) === fingerprint);
  if (reply.status === 200) expect(value, `policy ${id} is unexpected`).toBeDefined();
  return { kind: "policy", id, value };
}

async function findDocuments(server: SpawnedServer, model: Model, ids: readonly string[]): Promise<readonly Change[]> {
  const found: Change[] = [];
  for (const [kind, path, make] of [
    ["table", "/value-mappings", table],
    ["document", "/message-mappings", mapping],
  ] as const)
    for (const id of ids) {
      const reply = await server.api("GET", `${path}/${id}`);
      const value = model.allowed(kind, id).find((text) => text !== undefined && JSON.stringify(make(text)) === JSON.stringify(reply.json));
      if (reply.status === 200) expect(value, `${kind} ${id} is unexpected`).toBeDefined();
      found.push({ kind, id, value });
    }
  return found;
}

async function findDeadLetters(server: SpawnedServer, model: Model): Promise<readonly Change[]> {
  const found: Change[] = [];
  for (const id of model.ids("deadLetter")) {
    const { total } = (await server.api("GET", `/dead-letters?text=${id}&limit=1`)).json as { total: number };
    expect(total).toBeLessThanOrEqual(1);
    found.push({ kind: "deadLetter", id, value: total === 0 ? undefined : "stored" });
  }
  const { total } = (await server.api("GET", "/dead-letters?limit=1")).json as { total: number };
  expect(total).toBe(found.filter(({ value }) => value !== undefined).length);
  return found;
}

async function compareDepth(server: SpawnedServer, model: Model): Promise<void> {
  const { text } = await server.api("GET", "/metrics");
  const depth = Number(/^sluice_queue_depth\{queue="parked"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  const acknowledged = [...model.acknowledged.keys()].filter((key) => key.startsWith("message ")).length;
  expect(depth).toBeGreaterThanOrEqual(acknowledged);
  expect(depth).toBeLessThanOrEqual(model.ids("message").length);
  // The number shows whether the message without a response was stored.
  if (depth > acknowledged) model.settle(model.unacknowledged as Change);
}

/** Checks that webhook calls use the stored flow and policy. */
async function compareWebhook(server: SpawnedServer, model: Model, id: string): Promise<void> {
  const text = model.acknowledged.get(`flow ${id}`);
  const key = model.acknowledged.get(`policy ${id}`);
  const bare = await call(server.baseUrl, "POST", `/api/route-${id}`, "");
  expect([id, bare.status]).toEqual([id, text === undefined ? 404 : key === undefined ? 200 : 401]);
  if (text === undefined) return;
  const shown = await call(server.baseUrl, "POST", `/api/route-${id}`, "", key === undefined ? {} : { "x-api-key": key });
  expect([shown.status, shown.text]).toEqual([200, text]);
}
