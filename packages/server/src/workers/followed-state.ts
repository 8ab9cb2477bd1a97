// Takes over what the lead serves: tables, documents, policies and the routes every worker runs. Something that cannot be taken
// over is left to the lead, which answers for it.
import type { Deployment, DrainReport, Log } from "@sluice/engine";
import type { Policies } from "../access/policies.ts";
import { refuseProblems } from "../flows/flow-problems.ts";
import { prepareFlow, type PrepareParts } from "../flows/installed-flows.ts";
import type { MemoryDocumentStore } from "../mappings/memory-document-store.ts";
import type { Mappings } from "../mappings/open-mappings.ts";
import type { Change, ChangeOrder, SpreadFlow } from "./messages.ts";
import { partOf } from "./spread.ts";

export interface FollowedParts extends PrepareParts {
  readonly log: Log;
  readonly policies: Policies;
  readonly mappings: Mappings;
  readonly stores: { readonly tables: MemoryDocumentStore; readonly documents: MemoryDocumentStore };
}

/** How long it is known how the end of a removed flow went. */
const drainKnownMs = 300_000;

export class FollowedState {
  readonly #parts: FollowedParts;
  readonly #flows = new Map<string, string>();
  readonly #drains = new Map<string, Promise<DrainReport | undefined>>();
  /** True while the lead answers everything, so that mocks see every message. */
  paused = false;

  constructor(parts: FollowedParts) {
    this.#parts = parts;
  }

  /** Resolves when everything holds here. */
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
      else if (change.kind === "flow") await this.#takeFlow(change.id, change.flow).catch(() => failed.push(change));
      else {
        await this.#takeDocument(change.kind, change.id, change.document);
        documentsChanged = true;
      }
    }
    if (documentsChanged) await this.#loadDocuments();
    // A path that one flow gave up and another took may have come in the wrong order.
    for (const { id, flow } of failed) await this.#takeFlow(id, flow).catch((error: unknown) => this.#leave(id, error as Error));
  }

  /** Resolves when nothing of a removed flow is under way; false when something had to be given up. */
  async drained(flowId: string): Promise<boolean> {
    return (await this.#drains.get(flowId))?.drained ?? true;
  }

  /** Everything that is not among these. */
  async #drop(changes: readonly Change[]): Promise<void> {
    const { policies, stores } = this.#parts;
    const named = new Set(changes.flatMap((change) => (change.kind === "paused" ? [] : [`${change.kind} ${change.id}`])));
    for (const id of this.#flows.keys()) if (!named.has(`flow ${id}`)) await this.#takeFlow(id, undefined);
    for (const [id] of policies.list()) if (!named.has(`policy ${id}`)) policies.adopt(id, undefined);
    for (const id of stores.tables.ids()) if (!named.has(`table ${id}`)) await this.#takeDocument("table", id, undefined);
    for (const id of stores.documents.ids()) if (!named.has(`mapping ${id}`)) await this.#takeDocument("mapping", id, undefined);
  }

  async #takeDocument(kind: "table" | "mapping", id: string, document: unknown): Promise<void> {
    const { mappings, stores } = this.#parts;
    const [room, store] = kind === "table" ? [mappings.tables, stores.tables] : [mappings.documents, stores.documents];
    if (document !== undefined) store.put(id, document);
    else await room.remove(id, undefined).catch(() => undefined);
  }

  /** All at once: they may refer to each other. Nothing is served between the first and the last, for nothing waits there. */
  async #loadDocuments(): Promise<void> {
    await this.#parts.mappings.tables.load();
    await this.#parts.mappings.documents.load();
  }

  async #takeFlow(id: string, flow: SpreadFlow | undefined): Promise<void> {
    const version = flow === undefined ? undefined : JSON.stringify([flow.hash, flow.params, flow.routeIds]);
    if (this.#flows.get(id) === version) return;
    this.#flows.delete(id);
    if (flow === undefined || version === undefined) return this.#undeploy(id);
    try {
      await this.#deploy(flow);
      this.#flows.set(id, version);
    } catch (error) {
      // Better no version than the one before: the lead answers then.
      this.#undeploy(id);
      throw error;
    }
  }

  #leave(id: string, { message }: Error): void {
    this.#parts.log.write("ERROR", "sluice.workers", `flow '${id}' is left to the leading worker: ${message}`);
  }

  async #deploy({ id, source, hash, params, routeIds }: SpreadFlow): Promise<void> {
    const { runtime, secrets } = this.#parts;
    const { prepared, secrets: found } = prepareFlow(this.#parts, { id, source, hash, params });
    refuseProblems(prepared);
    secrets.set(id, [...found]);
    const { drained } = await runtime.deploy(partOf(prepared.deployment as Deployment, routeIds));
    this.#drains.set(id, drained);
  }

  /** Its place is free at once; what is under way goes on. */
  #undeploy(id: string): void {
    const { runtime, secrets } = this.#parts;
    const leaving = runtime.undeploy(id);
    this.#drains.set(id, leaving);
    void leaving.then(() => {
      if (this.#drains.get(id) === leaving) secrets.set(id, []);
      // The lead may ask later how it went: its own part can take as long.
      setTimeout(() => this.#drains.get(id) === leaving && this.#drains.delete(id), drainKnownMs).unref();
    });
  }
}
