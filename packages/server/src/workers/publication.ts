// Finds what changed on the lead since followers were last updated. Items are compared by identity and hash, so code that changes a
// flow, table or policy does not have to report it.
import type { Deployment } from "@sluice/engine";
import { documentTextIncrementally } from "@sluice/mapping";
import { inSlices } from "../host/in-slices.ts";
import type { StoredParams } from "../flows/flow-store.ts";
import type { Definition } from "../connections/named-connections.ts";
import type { LeadParts } from "./lead.ts";
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
  readonly #parts: LeadParts;
  readonly #flows = new Map<string, PublishedFlow>();
  readonly #documents = { table: new Map<string, PublishedDocument>(), mapping: new Map<string, PublishedDocument>() };
  readonly #policies = new Map<string, { stored: unknown; change: Change }>();
  readonly #connections = new Map<string, Definition>();
  #paused = false;
  #captured = false;

  constructor(parts: LeadParts) {
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
    const pausing: Change[] = paused === this.#paused ? [] : [{ kind: "paused", paused }];
    this.#paused = paused;
    this.#captured = captures.isActive || breakpoints.isActive;
    const documents = [...this.#newDocuments("table"), ...this.#newDocuments("mapping")];
    const policies = [...this.#newPolicies(), ...this.#newConnections()];
    const flows = this.#newFlows();
    // Followers are paused before routes move between workers and resumed last, so that no message bypasses a mock or a counter.
    return [
      ...(paused ? pausing : []),
      ...flows.filter(isRemoval),
      ...(await written(documents)),
      ...policies,
      ...flows.filter((change) => !isRemoval(change)),
      ...(paused ? [] : pausing),
    ];
  }

  async everything(): Promise<readonly Change[]> {
    const { table, mapping } = this.#documents;
    const documents = [
      ...[...table].map(([id, { document }]): NewDocument => ({ kind: "table", id, document })),
      ...[...mapping].map(([id, { document }]): NewDocument => ({ kind: "mapping", id, document })),
    ];
    const connections = [...this.#connections].map(([id, definition]): Change => ({ kind: "connection", id, definition }));
    const others = [...this.#policies.values(), ...this.#flows.values()].map(({ change }) => change);
    return [{ kind: "paused", paused: this.#paused }, ...(await written(documents)), ...connections, ...others];
  }

  #newDocuments(kind: "table" | "mapping"): readonly NewDocument[] {
    const { mappings } = this.#parts;
    const known = this.#documents[kind];
    const changes: NewDocument[] = [];
    const here = new Set<string>();
    for (const { id, hash, document } of kind === "table" ? mappings.tables.list() : mappings.documents.list()) {
      if (document === undefined) continue;
      here.add(id);
      if (known.get(id)?.hash === hash) continue;
      known.set(id, { hash, document });
      changes.push({ kind, id, document });
    }
    return [...changes, ...removeMissing(known, here).map((id): NewDocument => ({ kind, id, document: undefined }))];
  }

  #newPolicies(): readonly Change[] {
    const changes: Change[] = [];
    const here = new Set<string>();
    for (const [id, stored] of this.#parts.policies.list()) {
      here.add(id);
      if (this.#policies.get(id)?.stored === stored) continue;
      const change: Change = { kind: "policy", id, stored };
      this.#policies.set(id, { stored, change });
      changes.push(change);
    }
    return [...changes, ...removeMissing(this.#policies, here).map((id): Change => ({ kind: "policy", id, stored: undefined }))];
  }

  #newConnections(): readonly Change[] {
    const here = this.#parts.connections.definitions();
    const changed = [...here].filter(([id, definition]) => this.#connections.get(id) !== definition);
    for (const [id, definition] of changed) this.#connections.set(id, definition);
    const removed = removeMissing(this.#connections, here);
    return [
      ...changed.map(([id, definition]): Change => ({ kind: "connection", id, definition })),
      ...removed.map((id): Change => ({ kind: "connection", id, definition: undefined })),
    ];
  }

  #newFlows(): readonly Change[] {
    const { runtime, paramsOf, policies, captures, breakpoints } = this.#parts;
    const placed = placeRoutes({
      runtime,
      isCounted: (flowId) => policies.isCounted(flowId),
      isCaptured: (routeId) => captures.state(routeId) !== undefined || breakpoints.covers(routeId),
    });
    const changes: Change[] = [];
    for (const [id, routeIds] of placed) {
      const deployment = runtime.deployments.get(id) as Deployment;
      const params = paramsOf.get(deployment) ?? noParams;
      const routes = routeIds.join();
      const known = this.#flows.get(id);
      if (known?.deployment === deployment && known.routes === routes) continue;
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
async function written(documents: readonly NewDocument[]): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const { kind, id, document } of documents)
    changes.push({ kind, id, json: document === undefined ? undefined : await inSlices(documentTextIncrementally(document)) });
  return changes;
}

const isRemoval = (change: Change): boolean => change.kind === "flow" && change.flow === undefined;

/** Removes and returns the ids that no longer exist. */
function removeMissing(known: Map<string, unknown>, here: { has(id: string): boolean }): readonly string[] {
  const removed = [...known.keys()].filter((id) => !here.has(id));
  for (const id of removed) known.delete(id);
  return removed;
}
