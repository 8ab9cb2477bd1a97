// Webhooks of flows that could not be started here. The nodes that run such a flow describe its webhooks; this node mounts them, and forwards their
// requests. A path that only the previous version has is still served by that version, if it runs here.
import type { HttpMount } from "@sluice/engine/spi";
import { systemClock } from "../host/clock.ts";
import type { InstalledFlow } from "../flows/installed-flows.ts";
import type { OtherNodes, Topic } from "./other-nodes.ts";
import { flowKind } from "./replicated-flow-store.ts";

export type MountDescription = Omit<HttpMount, "handle">;

/** A version of a flow that runs on a node. */
export interface RunningVersion {
  readonly hash: string;
  readonly mounts: readonly MountDescription[];
}

interface ForwardedParts {
  readonly others: OtherNodes;
  /** The flows that could not be started here, each with the hash of its newest version. */
  missing(): ReadonlyMap<string, string>;
  /** The version that runs here; undefined for a flow that could not be started. */
  running(flowId: string): RunningVersion | undefined;
  /** Mounts a webhook that forwards its requests to a node. */
  mount(description: MountDescription, nodeOf: () => string | undefined): () => void;
}

interface Forwarded {
  readonly nodes: readonly string[];
  readonly unmounts: readonly (() => void)[];
}

type Versions = Readonly<Record<string, RunningVersion>>;

const topic: Topic<readonly string[], Versions> = { name: "versions-of" };
const responseMs = 2_000;
/** The node that changed a flow lists the new version as installed shortly after the other nodes have received the change. */
const maxAttempts = 5;
const pauseMs = 200;

/** The flows among these records that could not be started here, with the hash of the newest version. */
export function missingFlows(recordIds: Iterable<string>, installed: ReadonlyMap<string, InstalledFlow> | undefined): ReadonlyMap<string, string> {
  const ids = [...recordIds].filter((id) => id.startsWith(flowKind)).map((id) => id.slice(flowKind.length));
  const flows = ids.map((id) => installed?.get(id));
  return new Map(flows.flatMap((flow) => (flow?.error === undefined ? [] : [[flow.id, flow.hash] as const])));
}

export class ForwardedFlows {
  readonly #parts: ForwardedParts;
  readonly #flows = new Map<string, Forwarded>();
  #last: Promise<void> = Promise.resolve();

  constructor(parts: ForwardedParts) {
    this.#parts = parts;
  }

  /** Starts to respond to requests of the other nodes; returns a function that stops this. */
  respond(): () => void {
    return this.#parts.others.respond(topic, (ids) =>
      Object.fromEntries(
        ids.flatMap((id) => {
          const version = this.#parts.running(id);
          return version === undefined ? [] : [[id, version]];
        }),
      ),
    );
  }

  /**
   * Call when a flow may have become missing or started, or may have changed on another node. Resolves when requests are forwarded; `changed` is a flow
   * that another node has just changed.
   */
  refresh(changed?: string): Promise<void> {
    return (this.#last = this.#last.then(() => this.#refresh(changed)));
  }

  async #refresh(changed: string | undefined): Promise<void> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const missing = this.#parts.missing();
      for (const id of [...this.#flows.keys()]) if (!missing.has(id)) this.#replace(id, undefined);
      if (missing.size === 0) return;
      const { responses } = await this.#parts.others.request(topic, [...missing.keys()], { timeoutMs: responseMs }).catch(() => ({ responses: [] }));
      let isPending = changed !== undefined && missing.has(changed);
      for (const [id, hash] of missing) {
        const found = responses.filter(({ response }) => response[id]?.hash === hash);
        const mounts = found[0]?.response[id]?.mounts;
        if (mounts === undefined) continue;
        this.#replace(id, { nodes: found.map(({ node }) => node), mounts });
        if (id === changed) isPending = false;
      }
      if (!isPending || responses.length === 0) return;
      await new Promise<void>((resolve) => systemClock.after(pauseMs, resolve));
    }
  }

  #replace(id: string, version: { readonly nodes: readonly string[]; readonly mounts: readonly MountDescription[] } | undefined): void {
    const previous = this.#flows.get(id);
    if (version === undefined) this.#flows.delete(id);
    else {
      const { nodes } = version;
      // Chosen at random, because one of them may just have stopped, or may not hold the slot of the flow.
      const nodeOf = (): string | undefined => {
        const live = this.#parts.others.names().filter((name) => nodes.includes(name));
        return live[Math.floor(Math.random() * live.length)];
      };
      this.#flows.set(id, { nodes, unmounts: version.mounts.map((mount) => this.#parts.mount(mount, nodeOf)) });
    }
    for (const unmount of previous?.unmounts ?? []) unmount();
  }
}
