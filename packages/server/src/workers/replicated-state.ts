// Replicates the leader's state: tables, documents, policies, connections, and the routes every worker runs. The leader serves everything
// that cannot be applied here.
import type { Deployment, DrainReport, Log } from "@sluice/engine";
import type { Policies } from "../access/policies.ts";
import type { Definition } from "../connections/named-connections.ts";
import type { OpenConnections } from "../connections/open-connections.ts";
import { hashOf } from "../flows/flow-hash.ts";
import { assertDeployable } from "../flows/flow-problems.ts";
import { deployMasked, undeployMasked } from "../flows/masked-deployment.ts";
import { prepareFlow, type PrepareParts } from "../flows/installed-flows.ts";
import { overrideKamelets } from "../kamelets/kamelet-overrides.ts";
import type { MemoryDocumentStore } from "../mappings/memory-document-store.ts";
import type { Mappings } from "../mappings/open-mappings.ts";
import type { Change, ChangeRequest, PlacedFlow } from "./messages.ts";
import { noPrecondition } from "../precondition.ts";
import { selectRoutes } from "./placement.ts";

export interface ReplicatedParts extends PrepareParts {
  readonly log: Log;
  readonly policies: Policies;
  readonly mappings: Mappings;
  readonly connections: OpenConnections;
  readonly stores: { readonly tables: MemoryDocumentStore; readonly documents: MemoryDocumentStore };
}

/** How long the drain result of a removed flow is kept. */
const drainResultMs = 300_000;

export class ReplicatedState {
  readonly #parts: ReplicatedParts;
  readonly #flows = new Map<string, string>();
  readonly #drains = new Map<string, Promise<DrainReport | undefined>>();
  /** True while the leader serves everything, so that mocks apply to every message. */
  paused = false;

  constructor(parts: ReplicatedParts) {
    this.#parts = parts;
  }

  /** Resolves when all changes are in effect. */
  async apply({ isSnapshot, changes }: ChangeRequest): Promise<void> {
    if (isSnapshot) await this.#removeUnlisted(changes);
    let documentsChanged = false;
    const failed: (Change & { kind: "flow" })[] = [];
    for (const change of changes) {
      if (documentsChanged && change.kind !== "table" && change.kind !== "mapping") {
        await this.#loadDocuments();
        documentsChanged = false;
      }
      if (change.kind === "paused") this.paused = change.paused;
      else if (change.kind === "policy") this.#parts.policies.adopt(change.id, change.stored);
      else if (change.kind === "connection") await this.#applyConnection(change.id, change.definition);
      else if (change.kind === "flow") await this.#applyFlow(change.id, change.flow).catch(() => failed.push(change));
      else {
        await this.#applyDocument(change.kind, change.id, change.json);
        documentsChanged = true;
      }
    }
    if (documentsChanged) await this.#loadDocuments();
    // Retry: a flow may claim a path that another flow of the same request releases.
    for (const { id, flow } of failed) await this.#applyFlow(id, flow).catch((error: unknown) => this.#logUnapplied(id, error as Error));
  }

  /** Resolves when a removed flow has drained; false when runs were abandoned. */
  async drained(flowId: string): Promise<boolean> {
    return (await this.#drains.get(flowId))?.drained ?? true;
  }

  /** A connection that fails is retried like any other that is down. */
  async #applyConnection(id: string, definition: Definition | undefined): Promise<void> {
    const { connections } = this.#parts;
    if (definition === undefined) return connections.undefine(id);
    const { type, values, secrets } = definition;
    await connections.define(id, type, values, { secrets }).catch(() => connections.define(id, type, values, { secrets, force: true }));
  }

  /** Removes everything that is not in these changes. */
  async #removeUnlisted(changes: readonly Change[]): Promise<void> {
    const { policies, stores } = this.#parts;
    const listed = new Set(changes.flatMap((change) => (change.kind === "paused" ? [] : [`${change.kind} ${change.id}`])));
    for (const { id } of this.#parts.connections.named()) if (!listed.has(`connection ${id}`)) await this.#parts.connections.undefine(id);
    for (const id of this.#flows.keys()) if (!listed.has(`flow ${id}`)) await this.#applyFlow(id, undefined);
    for (const [id] of policies.list()) if (!listed.has(`policy ${id}`)) policies.adopt(id, undefined);
    for (const id of stores.tables.ids()) if (!listed.has(`table ${id}`)) await this.#applyDocument("table", id, undefined);
    for (const id of stores.documents.ids()) if (!listed.has(`mapping ${id}`)) await this.#applyDocument("mapping", id, undefined);
  }

  async #applyDocument(kind: "table" | "mapping", id: string, json: string | undefined): Promise<void> {
    const { mappings, stores } = this.#parts;
    const [mappingSet, store] = kind === "table" ? [mappings.tables, stores.tables] : [mappings.documents, stores.documents];
    if (json !== undefined) await store.put(id, json);
    else await mappingSet.remove(id, noPrecondition).catch(() => undefined);
  }

  /** Tables first, because documents refer to them; documents, which may import each other, are activated together. */
  async #loadDocuments(): Promise<void> {
    await this.#parts.mappings.tables.load();
    await this.#parts.mappings.documents.load();
  }

  async #applyFlow(id: string, flow: PlacedFlow | undefined): Promise<void> {
    const version = flow === undefined ? undefined : versionOf(flow);
    if (this.#flows.get(id) === version) return;
    this.#flows.delete(id);
    if (flow === undefined || version === undefined) return this.#undeploy(id);
    try {
      await this.#deploy(flow);
      this.#flows.set(id, version);
    } catch (error) {
      // Remove the flow rather than run a stale version: the leader then serves it.
      this.#undeploy(id);
      throw error;
    }
  }

  #logUnapplied(id: string, { message }: Error): void {
    this.#parts.log.write("ERROR", "sluice.workers", `Flow '${id}' is served by the leader worker only: ${message}`);
  }

  async #deploy({ id, source, hash, params, routeIds, kamelets }: PlacedFlow): Promise<void> {
    const { prepared, secrets } = await prepareFlow(this.#parts, { id, source, hash, params, kamelets: overrideKamelets(kamelets) });
    assertDeployable(prepared);
    const { drained } = await deployMasked(this.#parts, selectRoutes(prepared.deployment as Deployment, routeIds), secrets);
    this.#drains.set(id, drained);
  }

  /** Frees the flow's paths immediately; its in-flight runs continue. */
  #undeploy(id: string): void {
    const drain = undeployMasked(this.#parts, id);
    this.#drains.set(id, drain);
    void drain.then(() => {
      // The leader may request the result later, after its own routes have drained.
      setTimeout(() => this.#drains.get(id) === drain && this.#drains.delete(id), drainResultMs).unref();
    });
  }
}

/** A flow is compiled again when its text, its parameters, its Kamelets or the routes that run here have changed. */
function versionOf({ hash, params, routeIds, kamelets }: PlacedFlow): string {
  return JSON.stringify([hash, params, routeIds, [...kamelets].map(([name, { text }]) => [name, hashOf(Buffer.from(text))])]);
}
