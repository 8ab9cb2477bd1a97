// Flows served from files outside the store. They are read in place and never written.
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { ServiceError } from "../service-error.ts";
import { hashOf } from "./flow-hash.ts";
import { readEntireFile } from "./durable-file.ts";
import { readParams } from "./flow-params.ts";
import type { FlowFile, FlowStore, StoredFlow } from "./flow-store.ts";

export interface ExternalFlow {
  readonly id: string;
  /** Absolute path. */
  readonly path: string;
  /** Parameters in the format of a deploy. */
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface ExternalFlows {
  /** The current flows. */
  list(): Promise<readonly ExternalFlow[]>;
  /** Absolute paths of their folders, to be watched. */
  readonly folders: readonly string[];
  /** True if the runtime also starts when none of them can be used, as when it replaces one that crashed. */
  readonly mayAllFail?: boolean;
}

/** Adds these flows to the store; they take precedence over stored flows with the same id. */
export function withExternalFlows(store: FlowStore, externalFlows: ExternalFlows | undefined): FlowStore {
  if (externalFlows === undefined) return store;
  let files: ReadonlyMap<string, ExternalFlow> = new Map();

  async function toFlowFile(flow: ExternalFlow): Promise<FlowFile | undefined> {
    const stats = await stat(flow.path, { bigint: true }).catch(() => undefined);
    if (stats === undefined) return undefined;
    // A parameter change also counts as a change to the flow.
    const stamp = `${stats.mtimeNs}-${stats.size}-${stats.ino}-${JSON.stringify(flow.params ?? {})}`;
    return { id: flow.id, file: basename(flow.path), lastModified: Math.round(Number(stats.mtimeNs) / 1e6), stamp, problem: undefined, hasParams: false };
  }

  async function read(flow: ExternalFlow): Promise<StoredFlow | undefined> {
    const file = await toFlowFile(flow);
    if (file === undefined) return undefined;
    const bytes = await readEntireFile(flow.path);
    return { id: flow.id, file: file.file, bytes, hash: hashOf(bytes), lastModified: file.lastModified, params: readParams(flow.params ?? {}, {}) };
  }

  const rejectChange = (flow: ExternalFlow): never => {
    throw new ServiceError("conflict", `flow '${flow.id}' is served from the file '${basename(flow.path)}': edit the file instead`);
  };
  const fileOf = (id: string): ExternalFlow | undefined => files.get(id.toLowerCase());

  return {
    async list() {
      const current = await externalFlows.list();
      files = new Map(current.map((flow) => [flow.id.toLowerCase(), flow]));
      const external = (await Promise.all(current.map(toFlowFile))).filter((file) => file !== undefined);
      const stored = (await store.list()).filter(({ id }) => fileOf(id) === undefined);
      return [...stored, ...external].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    },
    async read(id) {
      const flow = fileOf(id);
      return flow === undefined ? store.read(id) : read(flow);
    },
    async readListed(file) {
      const flow = fileOf(file.id);
      return flow === undefined ? store.readListed(file) : read(flow);
    },
    async stage(change) {
      const flow = fileOf(change.id);
      return flow === undefined ? store.stage(change) : rejectChange(flow);
    },
    async remove(id) {
      const flow = fileOf(id);
      return flow === undefined ? store.remove(id) : rejectChange(flow);
    },
    // Do not show the history of a stored flow with the same id.
    versions: async (id) => (fileOf(id) === undefined ? store.versions(id) : []),
  };
}
