// Replicates the lead's state: tables, documents, policies, connections, and the routes every worker runs. The lead serves everything
// that cannot be applied here.
import type { Deployment, DrainReport, Log } from "@sluice/engine";
import type { Policies } from "../access/policies.ts";
import type { Definition } from "../connections/named-connections.ts";
import type { OpenConnections } from "../connections/open-connections.ts";
import { hashOf } from "../flows/flow-hash.ts";
import { refuseProblems } from "../flows/flow-problems.ts";
import { deployMasked, undeployMasked } from "../flows/masked-deployment.ts";
import { prepareFlow, type PrepareParts } from "../flows/installed-flows.ts";
import { overrideKamelets } from "../kamelets/kamelet-overrides.ts";
import type { MemoryDocumentStore } from "../mappings/memory-document-store.ts";
import type { Mappings } from "../mappings/open-mappings.ts";
import type { Change, ChangeOrder, PlacedFlow } from "./messages.ts";
import { partOf } from "./placement.ts";

export interface ReplicatedParts extends PrepareParts {
  readonly log: Log;
  readonly policies: Policies;
  readonly mappings: Mappings;
  readonly connections: OpenConnections;
  readonly stores: { readonly tables: MemoryDocumentStore; readonly documents: MemoryDocumentStore };
}

/** How long the drain result of a removed flow is kept. */
const drainKnownMs = 300_000;

export class ReplicatedState {
  readonly #parts: ReplicatedParts;
  readonly #flows = new Map<string, string>();
  readonly #drains = new Map<string, Promise<DrainReport | undefined>>();
  /** True while the lead serves everything, so that mocks apply to every message. */
  paused = false;

  constructor(parts: ReplicatedParts) {
    this.#parts = parts;
  }

  /** Resolves when all changes are in effect. */
  async take({ whole, changes }: ChangeOrder): Promise<void> {
    if (whole) await this.#drop(changes);
    let documentsChanged = false;
    const failed: (Change & { kind: "flow" })[] = [];
    for (const change of changes) {
      if (documentsChanged && change.kind !== "table" && change.kind !== "mapping") {
        await this.#loadDocuments();
        documentsChanged = false;
      }
      if (change.kind === "paused") this.paused = change.paused;
      else if (change.kind === "policy") this.#parts.policies.adopt(change.id, change.stored);
      else if (change.kind === "connection") await this.#takeConnection(change.id, change.definition);
      else if (change.kind === "flow") await this.#takeFlow(change.id, change.flow).catch(() => failed.push(change));
      else {
        await this.#takeDocument(change.kind, change.id, change.json);
        documentsChanged = true;
      }
    }
    if (documentsChanged) await this.#loadDocuments();
    // Retry: a flow may claim a path that another flow of the same order releases.
    for (const { id, flow } of failed) await this.#takeFlow(id, flow).catch((error: unknown) => this.#leave(id, error as Error));
  }

  /** Resolves when a removed flow has drained; false when runs were abandoned. */
  async drained(flowId: string): Promise<boolean> {
    return (await this.#drains.get(flowId))?.drained ?? true;
  }

  /** A connection that fails is retried like any other that is down. */
  async #takeConnection(id: string, definition: Definition | undefined): Promise<void> {
    const { connections } = this.#parts;
    if (definition === undefined) return connections.undefine(id);
    const { type, values, secrets } = definition;
    await connections.define(id, type, values, { secrets }).catch(() => connections.define(id, type, values, { secrets, force: true }));
  }

  /** Removes everything that is not in these changes. */
  async #drop(changes: readonly Change[]): Promise<void> {
    const { policies, stores } = this.#parts;
    const named = new Set(changes.flatMap((change) => (change.kind === "paused" ? [] : [`${change.kind} ${change.id}`])));
    for (const { id } of this.#parts.connections.named()) if (!named.has(`connection ${id}`)) await this.#parts.connections.undefine(id);
    for (const id of this.#flows.keys()) if (!named.has(`flow ${id}`)) await this.#takeFlow(id, undefined);
    for (const [id] of policies.list()) if (!named.has(`policy ${id}`)) policies.adopt(id, undefined);
    for (const id of stores.tables.ids()) if (!named.has(`table ${id}`)) await this.#takeDocument("table", id, undefined);
    for (const id of stores.documents.ids()) if (!named.has(`mapping ${id}`)) await this.#takeDocument("mapping", id, undefined);
  }

  async #takeDocument(kind: "table" | "mapping", id: string, json: string | undefined): Promise<void> {
    const { mappings, stores } = this.#parts;
    const [room, store] = kind === "table" ? [mappings.tables, stores.tables] : [mappings.documents, stores.documents];
    if (json !== undefined) await store.put(id, json);
    else await room.remove(id, undefined).catch(() => undefined);
  }

  /** Tables first, because documents refer to them; documents, which may import each other, are activated together. */
  async #loadDocuments(): Promise<void> {
    await this.#parts.mappings.tables.load();
    await this.#parts.mappings.documents.load();
  }

  async #takeFlow(id: string, flow: PlacedFlow | undefined): Promise<void> {
    const version = flow === undefined ? undefined : versionOf(flow);
    if (this.#flows.get(id) === version) return;
    this.#flows.delete(id);
    if (flow === undefined || version === undefined) return this.#undeploy(id);
    try {
      await this.#deploy(flow);
      this.#flows.set(id, version);
    } catch (error) {
      // No version is better than a stale one: the lead serves the flow then.
      this.#undeploy(id);
      throw error;
    }
  }

  #leave(id: string, { message }: Error): void {
    this.#parts.log.write("ERROR", "sluice.workers", `Flow '${id}' is served by the lead worker only: ${message}`);
  }

  async #deploy({ id, source, hash, params, routeIds, kamelets }: PlacedFlow): Promise<void> {
    const { prepared, secrets } = await prepareFlow(this.#parts, { id, source, hash, params, kamelets: overrideKamelets(kamelets) });
    refuseProblems(prepared);
    const { drained } = await deployMasked(this.#parts, partOf(prepared.deployment as Deployment, routeIds), secrets);
    this.#drains.set(id, drained);
  }

  /** Frees the flow's paths immediately; its in-flight runs continue. */
  #undeploy(id: string): void {
    const leaving = undeployMasked(this.#parts, id);
    this.#drains.set(id, leaving);
    void leaving.then(() => {
      // The lead may request the result later, after its own routes have drained.
      setTimeout(() => this.#drains.get(id) === leaving && this.#drains.delete(id), drainKnownMs).unref();
    });
  }
}

/** A flow is compiled again when its text, its parameters, its Kamelets or the routes that run here have changed. */
function versionOf({ hash, params, routeIds, kamelets }: PlacedFlow): string {
  return JSON.stringify([hash, params, routeIds, [...kamelets].map(([name, { text }]) => [name, hashOf(Buffer.from(text))])]);
}
