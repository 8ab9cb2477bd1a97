// Stores which routes an operator stopped or suspended, so that neither a restart nor a new version of the flow starts them again. One
// document per flow: `{"suspended": ["orders"], "stopped": []}`.
import type { Log, InactiveStatus, Route, RouteIdentity } from "@sluice/engine";
import { createKeyedMutex } from "@sluice/engine/tools";
import type { DocumentStore } from "../mappings/document-store.ts";
import { StorageError } from "./flow-store.ts";

export type RouteAction = "start" | "stop" | "suspend" | "resume";

const statusAfter: Readonly<Record<RouteAction, InactiveStatus | undefined>> = {
  start: undefined,
  resume: undefined,
  stop: "Stopped",
  suspend: "Suspended",
};

export class RouteStates {
  readonly #store: DocumentStore;
  readonly #flows = new Map<string, Map<string, InactiveStatus>>();
  readonly #mutex = createKeyedMutex();

  private constructor(store: DocumentStore) {
    this.#store = store;
  }

  static async open(store: DocumentStore, log: Log): Promise<RouteStates> {
    const states = new RouteStates(store);
    for (const document of await store.list()) {
      const routes = "value" in document ? parse(document.value) : undefined;
      if (routes === undefined) log.write("ERROR", "sluice.flows", `The route states of flow '${document.id}' cannot be read: its routes start as declared`);
      else states.#flows.set(document.id, routes);
    }
    return states;
  }

  /** The state that a route keeps when its flow is deployed; undefined to start the route as declared. */
  of({ id, flowId }: RouteIdentity): InactiveStatus | undefined {
    return this.#flows.get(flowId)?.get(id);
  }

  /** Changes the state of a route and stores it. Returns a warning when a restart would lose it. */
  async act(route: Route, action: RouteAction): Promise<string | undefined> {
    const { flowId, id } = route.identity;
    const problem = await this.#save(flowId, id, statusAfter[action]);
    await route[action]();
    return problem === undefined ? undefined : `route '${id}' returns to its previous state after a restart: ${problem}`;
  }

  /** Applies the state of a route that another node stored. */
  async adopt(routeId: string, state: { readonly flowId: string; readonly status: InactiveStatus } | undefined, route: Route | undefined): Promise<void> {
    const owners = [...this.#flows].filter(([, routes]) => routes.has(routeId)).map(([flowId]) => flowId);
    for (const flowId of owners) this.#set(flowId, routeId, undefined);
    if (state !== undefined) this.#set(state.flowId, routeId, state.status);
    if (state?.status === "Stopped") await route?.stop();
    else if (state?.status === "Suspended") await route?.suspend();
    else if (owners.length > 0) await route?.start();
  }

  /** Removes the states of routes that a new version of the flow no longer has. */
  async retain(flowId: string, routeIds: readonly string[]): Promise<void> {
    const routes = this.#flows.get(flowId);
    if (routes === undefined) return;
    for (const id of [...routes.keys()]) if (!routeIds.includes(id)) await this.#save(flowId, id, undefined);
  }

  async #save(flowId: string, routeId: string, status: InactiveStatus | undefined): Promise<string | undefined> {
    const previous = this.#flows.get(flowId)?.get(routeId);
    if (previous === status) return undefined;
    this.#set(flowId, routeId, status);
    try {
      // The last of several changes writes their combined result.
      return await this.#mutex.run(flowId, () => this.#write(flowId));
    } catch (error) {
      if (error instanceof StorageError) return error.message;
      // Rejected by the cluster: the route does not change.
      this.#set(flowId, routeId, previous);
      throw error;
    }
  }

  #set(flowId: string, routeId: string, status: InactiveStatus | undefined): void {
    const routes = this.#flows.get(flowId) ?? new Map<string, InactiveStatus>();
    if (status === undefined) routes.delete(routeId);
    else routes.set(routeId, status);
    if (routes.size === 0) this.#flows.delete(flowId);
    else this.#flows.set(flowId, routes);
  }

  async #write(flowId: string): Promise<string | undefined> {
    const routes = [...(this.#flows.get(flowId) ?? [])];
    const idsWith = (status: InactiveStatus): readonly string[] => routes.flatMap(([id, routeStatus]) => (routeStatus === status ? [id] : []));
    const { unflushed } = await (routes.length === 0
      ? this.#store.remove(flowId)
      : this.#store.write(flowId, `${JSON.stringify({ suspended: idsWith("Suspended"), stopped: idsWith("Stopped") }, null, 2)}\n`));
    return unflushed?.message;
  }
}

function parse(value: unknown): Map<string, InactiveStatus> | undefined {
  const { suspended, stopped } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (!isTextList(suspended) || !isTextList(stopped)) return undefined;
  return new Map([...suspended.map((id) => [id, "Suspended"] as const), ...stopped.map((id) => [id, "Stopped"] as const)]);
}

const isTextList = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((item) => typeof item === "string");
