// Flows as records: text, parameters and tests are one record, so that a version is always complete.
import { fileNameOf } from "../flows/flow-file-name.ts";
import { hashOf } from "../flows/flow-hash.ts";
import { shownParams } from "../flows/flow-params.ts";
import type { FlowFile, FlowStore, FlowVersion, StoredFlow, StoredParams, VersionMetadata } from "../flows/flow-store.ts";
import type { FlowTestStore } from "../flows/disk-test-store.ts";
import type { Cluster, RecordVersion } from "@sluice/engine";
import { ServiceError } from "../service-error.ts";
import { version as engineVersion } from "../version.ts";
import type { ReplicatedConfig } from "./replicated-config.ts";

/** The content of a record; `v` is incremented when the format changes so that older runtimes cannot read it. */
interface Envelope extends VersionMetadata {
  readonly v: 1;
  readonly yaml: string;
  readonly params: StoredParams;
  readonly tests: string | null;
  readonly node: string;
  readonly engineVersion: string;
}

export const flowKind = "flow/";

export function replicatedFlowStore(cluster: Cluster, config: ReplicatedConfig): FlowStore & { readonly tests: FlowTestStore } {
  const recordOf = (id: string): RecordVersion | undefined => config.records.get(flowKind + id);
  const read = async (id: string): Promise<StoredFlow | undefined> => {
    const record = recordOf(id);
    return record === undefined ? undefined : storedFlow(id, record);
  };
  return {
    list: async () =>
      [...config.records.values()]
        .filter((record) => record.id.startsWith(flowKind))
        .map(fileOf)
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    read,
    readListed: ({ id }) => read(id),
    async stage({ id, bytes, params, tests, metadata }) {
      if (!config.encrypts) rejectLiteralSecrets(params);
      await config.assertReachable();
      const yaml = Buffer.from(bytes).toString("utf8");
      const envelope: Envelope = { v: 1, yaml, params, tests, ...metadata, node: cluster.node, engineVersion };
      return {
        async commit() {
          const { revision, at } = await config.write(flowKind + id, Buffer.from(JSON.stringify(envelope)));
          return { file: fileNameOf(id), lastModified: at, revision, unflushed: undefined };
        },
        discard: async () => undefined,
      };
    },
    async remove(id) {
      if (recordOf(id) === undefined) return { found: false, unflushed: undefined };
      await config.write(flowKind + id, undefined);
      return { found: true, unflushed: undefined };
    },
    async versions(id) {
      const records = await config.versions(flowKind + id);
      const deleted = records.findIndex(({ bytes }) => bytes === undefined);
      return (deleted < 0 ? records : records.slice(0, deleted)).flatMap(versionOf);
    },
    // Tests are written with their flow.
    tests: {
      read: async (id) => {
        const record = recordOf(id);
        return record === undefined ? undefined : (envelopeOf(record)?.tests ?? undefined);
      },
      write: async () => undefined,
      remove: async () => undefined,
    },
  };
}

export const fileOf = (record: RecordVersion): FlowFile => {
  const id = record.id.slice(flowKind.length);
  const envelope = envelopeOf(record);
  return {
    id,
    file: fileNameOf(id),
    lastModified: record.at,
    stamp: String(record.revision),
    problem: envelope === undefined ? "it was stored by a newer version of the runtime: upgrade this node" : undefined,
    hasParams: Object.keys(envelope?.params ?? {}).length > 0,
  };
};

function storedFlow(id: string, record: RecordVersion): StoredFlow {
  const envelope = envelopeOf(record);
  const bytes = Buffer.from(envelope?.yaml ?? "");
  return { id, file: fileNameOf(id), bytes, hash: hashOf(bytes), lastModified: record.at, params: envelope?.params ?? {}, problem: fileOf(record).problem };
}

function versionOf(record: RecordVersion): readonly FlowVersion[] {
  const envelope = envelopeOf(record);
  if (envelope === undefined) return [];
  const { yaml, params, tests, by, comment, restoredFrom } = envelope;
  const bytes = Buffer.from(yaml);
  return [{ revision: record.revision, bytes, hash: hashOf(bytes), at: record.at, params: shownParams(params), tests, by, comment, restoredFrom }];
}

/** Undefined when a newer runtime wrote the record. */
function envelopeOf({ bytes }: RecordVersion): Envelope | undefined {
  const envelope = JSON.parse(new TextDecoder().decode(bytes)) as Omit<Envelope, "v"> & { readonly v: number };
  return envelope.v === 1 ? { ...envelope, v: 1 } : undefined;
}

/** Rejects secrets that would be stored unencrypted, and so be part of every backup of the store. */
function rejectLiteralSecrets(params: StoredParams): void {
  for (const [name, param] of Object.entries(params))
    if ("value" in param && param.secret === true)
      throw new ServiceError(
        "flow-invalid",
        `params '${name}': a literal secret is not allowed in a cluster: use {"env": "NAME"} and set the variable on every node, or set SERVICE_CLUSTER_KEY`,
      );
}
