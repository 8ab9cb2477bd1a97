// Tables, mapping documents, connections, access policies and route states as records.
import { isOnceOnly, replayableMs } from "../access/schemes/hmac.ts";
import type { PolicyStore } from "../access/policy-store.ts";
import { parsePolicy, policyHash, policyText } from "../access/policy-store.ts";
import { secretsOf } from "../access/policy-warnings.ts";
import type { RecordVersion } from "@sluice/engine";
import { literalSecrets, type ConnectionDocument } from "../connections/connection-document.ts";
import { hashOf } from "../flows/flow-hash.ts";
import type { DocumentStore, StoredDocument } from "../mappings/document-store.ts";
import { ServiceError } from "../service-error.ts";
import type { ReplicatedConfig } from "./replicated-config.ts";
import { maxSignatureMs } from "./shared-signatures.ts";

export const tableKind = "table/";
export const mappingKind = "mapping/";
export const policyKind = "policy/";
export const connectionKind = "connection/";
export const routeKind = "route/";

/** Completes the log text 'Removed … because …'. */
const removalReason = "another node removed it";

const textOf = (record: RecordVersion): string => new TextDecoder().decode(record.bytes);

const recordsOf = (config: ReplicatedConfig, kind: string): readonly RecordVersion[] =>
  [...config.records.values()].filter(({ id }) => id.startsWith(kind)).sort((a, b) => (a.id < b.id ? -1 : 1));

/** Documents of one kind; a change is written only if it was checked against the newest configuration. */
export function replicatedDocuments(config: ReplicatedConfig, kind: string): DocumentStore {
  const parsed = new WeakMap<RecordVersion, StoredDocument>();
  const documentOf = (record: RecordVersion): StoredDocument => {
    const cached = parsed.get(record);
    if (cached !== undefined) return cached;
    const text = textOf(record);
    const document = { id: record.id.slice(kind.length), value: JSON.parse(text) as unknown, hash: hashOf(Buffer.from(text)), lastModified: record.at };
    parsed.set(record, document);
    return document;
  };
  return {
    removalReason: () => removalReason,
    list: async () => recordsOf(config, kind).map(documentOf),
    async read(id) {
      const record = config.records.get(kind + id);
      return record === undefined ? undefined : documentOf(record);
    },
    async write(id, text) {
      const bytes = Buffer.from(text);
      const { at } = await config.write(kind + id, bytes);
      return { hash: hashOf(bytes), lastModified: at, unflushed: undefined };
    },
    async remove(id) {
      const found = config.records.has(kind + id);
      if (found) await config.write(kind + id, undefined);
      return { found, unflushed: undefined };
    },
  };
}

/** Connections; literal secrets are accepted only in encrypted records. */
export function replicatedConnections(config: ReplicatedConfig): DocumentStore {
  return {
    ...replicatedDocuments(config, connectionKind),
    check(id, value) {
      const [path] = config.encrypts ? [] : literalSecrets(value as ConnectionDocument);
      if (path !== undefined)
        throw new ServiceError(
          "document-invalid",
          `connection '${id}': '${path}': a literal secret is not allowed in a cluster: use {"env": "NAME"} and set the variable on every node, or set SERVICE_CLUSTER_KEY`,
        );
    },
  };
}

export function replicatedPolicies(config: ReplicatedConfig): PolicyStore {
  return {
    removalReason,
    load: async () =>
      new Map(
        recordsOf(config, policyKind).map((record) => [record.id.slice(policyKind.length), parsePolicy(textOf(record), record.id.slice(policyKind.length))]),
      ),
    async write(flowId, policy, now) {
      for (const [path, secret] of (policy.authenticate ?? []).flatMap(secretsOf))
        if ("value" in secret && !config.encrypts)
          throw new ServiceError(
            "document-invalid",
            `access policy '${flowId}': ${path}: a literal secret is not allowed in a cluster: use {"env": "NAME"} and set the variable on every node, or set SERVICE_CLUSTER_KEY`,
          );
      // Each node would count only its own requests.
      if (policy.rateLimit !== undefined)
        throw new ServiceError(
          "document-invalid",
          `access policy '${flowId}': rateLimit is not supported in a cluster yet: limit the rate in the load balancer`,
        );
      for (const [index, scheme] of (policy.authenticate ?? []).entries())
        if (scheme.type === "hmac" && isOnceOnly(scheme) && replayableMs(scheme) > maxSignatureMs)
          throw new ServiceError(
            "document-invalid",
            `access policy '${flowId}': authenticate[${index}].toleranceSec: must be at most ${maxSignatureMs / 2_000} in a cluster, which stores used signatures for one day`,
          );
      const lastModified = new Date(now).toISOString();
      await config.write(policyKind + flowId, Buffer.from(policyText(flowId, policy, lastModified)));
      return { stored: { policy, hash: policyHash(policy), lastModified }, unflushed: undefined };
    },
    async remove(flowId) {
      if (config.records.has(policyKind + flowId)) await config.write(policyKind + flowId, undefined);
      return undefined;
    },
  };
}

/** A document with the route states of a flow. */
interface StateDocument {
  readonly suspended: readonly string[];
  readonly stopped: readonly string[];
}

/** One record per route, so that changes to different routes do not overwrite each other; for one route, the last write wins. */
export function replicatedRouteStates(config: ReplicatedConfig): DocumentStore {
  const statesOf = (flowId: string): ReadonlyMap<string, keyof StateDocument> =>
    new Map(
      recordsOf(config, routeKind).flatMap((record) => {
        const { flow, state } = readState(record);
        return flow === flowId ? [[record.id.slice(routeKind.length), state] as const] : [];
      }),
    );
  const read = async (id: string): Promise<StoredDocument | undefined> => {
    const states = [...statesOf(id)];
    if (states.length === 0) return undefined;
    const idsWith = (expected: keyof StateDocument): readonly string[] => states.flatMap(([routeId, state]) => (state === expected ? [routeId] : []));
    const value: StateDocument = { suspended: idsWith("suspended"), stopped: idsWith("stopped") };
    return { id, value, hash: hashOf(Buffer.from(JSON.stringify(value))), lastModified: 0 };
  };
  const replace = async (flowId: string, { suspended, stopped }: StateDocument): Promise<void> => {
    const current = statesOf(flowId);
    const requested = new Map<string, keyof StateDocument>([
      ...suspended.map((id) => [id, "suspended"] as const),
      ...stopped.map((id) => [id, "stopped"] as const),
    ]);
    for (const [id, state] of requested)
      if (current.get(id) !== state) await config.put(routeKind + id, Buffer.from(JSON.stringify({ v: 1, flow: flowId, state })));
    for (const id of current.keys()) if (!requested.has(id)) await config.put(routeKind + id, undefined);
  };
  return {
    async list() {
      const flowIds = new Set(recordsOf(config, routeKind).map((record) => readState(record).flow));
      return (await Promise.all([...flowIds].map(read))).filter((document) => document !== undefined);
    },
    read,
    async write(id, text) {
      await replace(id, JSON.parse(text) as StateDocument);
      return { hash: "", lastModified: 0, unflushed: undefined };
    },
    async remove(id) {
      await replace(id, { suspended: [], stopped: [] });
      return { found: true, unflushed: undefined };
    },
  };
}

/** The flow and state in the record of a route. */
export const readState = (record: RecordVersion): { readonly flow: string; readonly state: keyof StateDocument } =>
  JSON.parse(textOf(record)) as { readonly flow: string; readonly state: keyof StateDocument };
