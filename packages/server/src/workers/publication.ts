// Finds what changed on the leader since followers were last updated. Items are compared by identity and hash, so code that changes a
// flow, table or policy does not have to report it.
import type { Deployment } from "@sluice/engine";
import { documentTextIncrementally } from "@sluice/mapping";
import { inSlices } from "../host/in-slices.ts";
import type { StoredParams } from "../flows/flow-store.ts";
import type { Definition } from "../connections/named-connections.ts";
import type { LeaderParts } from "./leader.ts";
import type { Change } from "./messages.ts";
import { placeRoutes } from "./placement.ts";

interface PublishedFlow {
  readonly deployment: Deployment;
  readonly routes: string;
  readonly change: Change;
}

interface PublishedDocument {
  readonly hash: string;
  readonly document: unknown;
}

/** `document` is undefined when it was removed. */
interface NewDocument {
  readonly kind: "table" | "mapping";
  readonly id: string;
  readonly document: unknown;
}

const noParams: StoredParams = {};

export class Publication {
  readonly #parts: LeaderParts;
  readonly #flows = new Map<string, PublishedFlow>();
  readonly #documents = { table: new Map<string, PublishedDocument>(), mapping: new Map<string, PublishedDocument>() };
  readonly #policies = new Map<string, { stored: unknown; change: Change }>();
  readonly #connections = new Map<string, Definition>();
  #paused = false;
  #captured = false;

  constructor(parts: LeaderParts) {
    this.#parts = parts;
  }

  /** True while something is active that can expire. */
  get mayExpire(): boolean {
    return this.#paused || this.#captured;
  }

  /** Changes since the last call, in the order in which they must be applied. */
  async advance(): Promise<readonly Change[]> {
    const { sessions, captures, breakpoints } = this.#parts;
    const paused = sessions.mocksAllTraffic;
    const pauseChanges: Change[] = paused === this.#paused ? [] : [{ kind: "paused", paused }];
    this.#paused = paused;
    this.#captured = captures.isActive || breakpoints.isActive;
    const documents = [...this.#newDocuments("table"), ...this.#newDocuments("mapping")];
    const policies = [...this.#newPolicies(), ...this.#newConnections()];
    const flows = this.#newFlows();
    // Followers are paused before routes move between workers and resumed last, so that no message bypasses a mock or a counter.
    return [
      ...(paused ? pauseChanges : []),
      ...flows.filter(isRemoval),
      ...(await toChanges(documents)),
      ...policies,
      ...flows.filter((change) => !isRemoval(change)),
      ...(paused ? [] : pauseChanges),
    ];
  }

  async snapshot(): Promise<readonly Change[]> {
    const { table, mapping } = this.#documents;
    const documents = [
      ...[...table].map(([id, { document }]): NewDocument => ({ kind: "table", id, document })),
      ...[...mapping].map(([id, { document }]): NewDocument => ({ kind: "mapping", id, document })),
    ];
    const connections = [...this.#connections].map(([id, definition]): Change => ({ kind: "connection", id, definition }));
    const others = [...this.#policies.values(), ...this.#flows.values()].map(({ change }) => change);
    return [{ kind: "paused", paused: this.#paused }, ...(await toChanges(documents)), ...connections, ...others];
  }

  #newDocuments(kind: "table" | "mapping"): readonly NewDocument[] {
    const { mappings } = this.#parts;
    const published = this.#documents[kind];
    const changes: NewDocument[] = [];
    const currentIds = new Set<string>();
    for (const { id, hash, document } of kind === "table" ? mappings.tables.list() : mappings.documents.list()) {
      if (document === undefined) continue;
      currentIds.add(id);
      if (published.get(id)?.hash === hash) continue;
      published.set(id, { hash, document });
      changes.push({ kind, id, document });
    }
    return [...changes, ...removeMissing(published, currentIds).map((id): NewDocument => ({ kind, id, document: undefined }))];
  }

  #newPolicies(): readonly Change[] {
    const changes: Change[] = [];
    const currentIds = new Set<string>();
    for (const [id, stored] of this.#parts.policies.list()) {
      currentIds.add(id);
      if (this.#policies.get(id)?.stored === stored) continue;
      const change: Change = { kind: "policy", id, stored };
      this.#policies.set(id, { stored, change });
      changes.push(change);
    }
    return [...changes, ...removeMissing(this.#policies, currentIds).map((id): Change => ({ kind: "policy", id, stored: undefined }))];
  }

  #newConnections(): readonly Change[] {
    const definitions = this.#parts.connections.definitions();
    const changed = [...definitions].filter(([id, definition]) => this.#connections.get(id) !== definition);
    for (const [id, definition] of changed) this.#connections.set(id, definition);
    const removed = removeMissing(this.#connections, definitions);
    return [
      ...changed.map(([id, definition]): Change => ({ kind: "connection", id, definition })),
      ...removed.map((id): Change => ({ kind: "connection", id, definition: undefined })),
    ];
  }

  #newFlows(): readonly Change[] {
    const { runtime, paramsOf, policies, captures, breakpoints } = this.#parts;
    const placed = placeRoutes({
      runtime,
      needsOneProcess: (flowId) => policies.needsOneProcess(flowId),
      isCaptured: (routeId) => captures.state(routeId) !== undefined || breakpoints.covers(routeId),
    });
    const changes: Change[] = [];
    for (const [id, routeIds] of placed) {
      const deployment = runtime.deployments.get(id) as Deployment;
      const params = paramsOf.get(deployment) ?? noParams;
      const routes = routeIds.join();
      const published = this.#flows.get(id);
      if (published?.deployment === deployment && published.routes === routes) continue;
      const change: Change = {
        kind: "flow",
        id,
        flow: { id, source: deployment.flow.source, hash: deployment.hash, params, routeIds, kamelets: deployment.kamelets },
      };
      this.#flows.set(id, { deployment, routes, change });
      changes.push(change);
    }
    return [...changes, ...removeMissing(this.#flows, placed).map((id): Change => ({ kind: "flow", id, flow: undefined }))];
  }
}

/** Sends documents as JSON text: structured cloning of large tables is ten times slower, in every process on the way. */
async function toChanges(documents: readonly NewDocument[]): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const { kind, id, document } of documents)
    changes.push({ kind, id, json: document === undefined ? undefined : await inSlices(documentTextIncrementally(document)) });
  return changes;
}

const isRemoval = (change: Change): boolean => change.kind === "flow" && change.flow === undefined;

/** Removes and returns the ids that no longer exist. */
function removeMissing(published: Map<string, unknown>, currentIds: { has(id: string): boolean }): readonly string[] {
  const removed = [...published.keys()].filter((id) => !currentIds.has(id));
  for (const id of removed) published.delete(id);
  return removed;
}
