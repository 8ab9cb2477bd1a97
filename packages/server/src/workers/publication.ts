// What the lead has told the others, and what is new since: compared by identity and hash, so that whatever changes a flow, a
// table or a policy, nobody has to report it here.
import type { Deployment } from "@sluice/engine";
import type { StoredParams } from "../flows/flow-store.ts";
import type { LeadParts } from "./lead.ts";
import type { Change } from "./messages.ts";
import { spreadRoutes } from "./spread.ts";

interface PublishedFlow {
  readonly deployment: Deployment;
  readonly routes: string;
  readonly change: Change;
}

const noParams: StoredParams = {};

export class Publication {
  readonly #parts: LeadParts;
  readonly #flows = new Map<string, PublishedFlow>();
  readonly #documents = { table: new Map<string, { hash: string; change: Change }>(), mapping: new Map<string, { hash: string; change: Change }>() };
  readonly #policies = new Map<string, { stored: unknown; change: Change }>();
  #paused = false;
  #captured = false;

  constructor(parts: LeadParts) {
    this.#parts = parts;
  }

  /** True while something is in force that ends by itself. */
  get mayLapse(): boolean {
    return this.#paused || this.#captured;
  }

  /** What is new since the last call, in the order in which it is to be taken over. */
  advance(): readonly Change[] {
    const { sessions, captures } = this.#parts;
    const paused = sessions.mocksEverybody;
    const pausing: Change[] = paused === this.#paused ? [] : [{ kind: "paused", paused }];
    this.#paused = paused;
    this.#captured = captures.isActive;
    const documents = [...this.#newDocuments("table"), ...this.#newDocuments("mapping")];
    const policies = this.#newPolicies();
    const flows = this.#newFlows();
    // Nobody serves alone what is to be counted or mocked in one place; what is free again comes last.
    return [
      ...(paused ? pausing : []),
      ...flows.filter(isRemoval),
      ...documents,
      ...policies,
      ...flows.filter((change) => !isRemoval(change)),
      ...(paused ? [] : pausing),
    ];
  }

  everything(): readonly Change[] {
    const { table, mapping } = this.#documents;
    return [
      { kind: "paused", paused: this.#paused },
      ...[...table.values(), ...mapping.values(), ...this.#policies.values(), ...this.#flows.values()].map(({ change }) => change),
    ];
  }

  #newDocuments(kind: "table" | "mapping"): readonly Change[] {
    const { mappings } = this.#parts;
    const known = this.#documents[kind];
    const changes: Change[] = [];
    const here = new Set<string>();
    for (const { id, hash, document } of kind === "table" ? mappings.tables.list() : mappings.documents.list()) {
      if (document === undefined) continue;
      here.add(id);
      if (known.get(id)?.hash === hash) continue;
      const change: Change = { kind, id, document };
      known.set(id, { hash, change });
      changes.push(change);
    }
    return [...changes, ...goneFrom(known, here).map((id): Change => ({ kind, id, document: undefined }))];
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
    return [...changes, ...goneFrom(this.#policies, here).map((id): Change => ({ kind: "policy", id, stored: undefined }))];
  }

  #newFlows(): readonly Change[] {
    const { runtime, paramsOf, policies, captures } = this.#parts;
    const spread = spreadRoutes({
      runtime,
      isCounted: (flowId) => policies.isCounted(flowId),
      isCaptured: (routeId) => captures.state(routeId) !== undefined,
    });
    const changes: Change[] = [];
    for (const [id, routeIds] of spread) {
      const deployment = runtime.deployments.get(id) as Deployment;
      const params = paramsOf.get(deployment) ?? noParams;
      const routes = routeIds.join();
      const known = this.#flows.get(id);
      if (known?.deployment === deployment && known.routes === routes) continue;
      const change: Change = { kind: "flow", id, flow: { id, source: deployment.flow.source, hash: deployment.hash, params, routeIds } };
      this.#flows.set(id, { deployment, routes, change });
      changes.push(change);
    }
    return [...changes, ...goneFrom(this.#flows, spread).map((id): Change => ({ kind: "flow", id, flow: undefined }))];
  }
}

const isRemoval = (change: Change): boolean => change.kind === "flow" && change.flow === undefined;

/** Forgets what is here no more. */
function goneFrom(known: Map<string, unknown>, here: { has(id: string): boolean }): readonly string[] {
  const gone = [...known.keys()].filter((id) => !here.has(id));
  for (const id of gone) known.delete(id);
  return gone;
}
