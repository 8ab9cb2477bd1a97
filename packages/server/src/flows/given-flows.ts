// Flows served from files that a user named, beside those of the store: read where they are, never written.
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { Refusal } from "../refusal.ts";
import { hashOf } from "./disk-flow-store.ts";
import { readParams } from "./flow-params.ts";
import type { FlowFile, FlowStore, StoredFlow } from "./flow-store.ts";

export interface GivenFlow {
  readonly id: string;
  /** Absolute. */
  readonly path: string;
  /** As a deploy would give them. */
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface GivenFlows {
  /** The flows there are now. */
  list(): Promise<readonly GivenFlow[]>;
  /** Absolute paths of the folders they stand in, to be watched. */
  readonly folders: readonly string[];
}

/** The store with these flows added; one that the store holds too is served from its file. */
export function withGivenFlows(store: FlowStore, given: GivenFlows | undefined): FlowStore {
  if (given === undefined) return store;
  let files: ReadonlyMap<string, GivenFlow> = new Map();

  async function listed(flow: GivenFlow): Promise<FlowFile | undefined> {
    const facts = await stat(flow.path, { bigint: true }).catch(() => undefined);
    if (facts === undefined) return undefined;
    const stamp = `${facts.mtimeNs}-${facts.size}-${facts.ino}`;
    return { id: flow.id, file: basename(flow.path), lastModified: Math.round(Number(facts.mtimeNs) / 1e6), stamp, problem: undefined, hasParams: false };
  }

  async function read(flow: GivenFlow): Promise<StoredFlow | undefined> {
    const file = await listed(flow);
    if (file === undefined) return undefined;
    const bytes = await readFile(flow.path);
    return { id: flow.id, file: file.file, bytes, hash: hashOf(bytes), lastModified: file.lastModified, params: readParams(flow.params ?? {}, {}) };
  }

  const refuse = (flow: GivenFlow): never => {
    throw new Refusal("conflict", `flow '${flow.id}' is served from the file '${basename(flow.path)}': change the file instead`);
  };
  const fileOf = (id: string): GivenFlow | undefined => files.get(id.toLowerCase());

  return {
    async list() {
      const now = await given.list();
      files = new Map(now.map((flow) => [flow.id.toLowerCase(), flow]));
      const own = (await Promise.all(now.map(listed))).filter((file) => file !== undefined);
      const stored = (await store.list()).filter(({ id }) => fileOf(id) === undefined);
      return [...stored, ...own].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
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
      return flow === undefined ? store.stage(change) : refuse(flow);
    },
    async remove(id) {
      const flow = fileOf(id);
      return flow === undefined ? store.remove(id) : refuse(flow);
    },
  };
}
