// State of the page beyond the open flow: flows of the workspace, targets, categories and runtime health.
import { create } from "zustand";
import { ApiError, type FlowSummary, type Health } from "@sluice/client";
import { healthOf, runtimeAt } from "../api-client/runtime-client.ts";
import { workspaceClient, type CategoryFile, type FlowEntry, type TargetEntry } from "../api-client/workspace-client.ts";

export interface RuntimeState {
  /** Unknown until the first response or failure. */
  readonly reachable: boolean | undefined;
  readonly error: string | undefined;
  /** Why it cannot be used: it does not respond, it rejects the token, or something else that `error` describes. */
  readonly cause: "down" | "token" | "other" | undefined;
  readonly flows: ReadonlyMap<string, FlowSummary>;
  readonly health: Health | undefined;
  /** The last health report and when it was received, even after the runtime stopped responding. */
  readonly lastHealth: { readonly health: Health; readonly at: string } | undefined;
}

interface WorkspaceState {
  readonly flows: readonly FlowEntry[] | undefined;
  readonly flowsError: string | undefined;
  readonly categoryFile: CategoryFile | undefined;
  readonly targets: readonly TargetEntry[];
  readonly target: string | undefined;
  readonly runtime: RuntimeState;
  loadFlows(): Promise<void>;
  loadCategories(): Promise<void>;
  loadTargets(): Promise<void>;
  loadRuntime(): Promise<void>;
  chooseTarget(name: string): void;
  setCategoryFile(categoryFile: CategoryFile): void;
  setTargets(targets: readonly TargetEntry[]): void;
}

const unknownRuntime: RuntimeState = { reachable: undefined, error: undefined, cause: undefined, flows: new Map(), health: undefined, lastHealth: undefined };
const targetKey = "sluice.target";

export const useWorkspace = create<WorkspaceState>((set, get) => ({
  flows: undefined,
  flowsError: undefined,
  categoryFile: undefined,
  targets: [],
  target: undefined,
  runtime: unknownRuntime,
  async loadFlows() {
    try {
      set({ flows: await workspaceClient.flows(), flowsError: undefined });
    } catch (error) {
      set({ flowsError: (error as Error).message });
    }
  },
  async loadCategories() {
    const categoryFile = await workspaceClient.categories().catch(() => undefined);
    if (categoryFile !== undefined) set({ categoryFile });
  },
  async loadTargets() {
    const targets = await workspaceClient.targets().catch(() => undefined);
    if (targets === undefined) return;
    const remembered = get().target ?? readSetting(targetKey);
    set({ targets, target: targets.some(({ name }) => name === remembered) ? remembered : targets[0]?.name });
  },
  async loadRuntime() {
    const { target } = get();
    if (target === undefined) return;
    try {
      const [{ flows }, health] = await Promise.all([runtimeAt(target).call("GET /flows"), healthOf(target)]);
      if (get().target === target)
        set({
          runtime: {
            reachable: true,
            error: undefined,
            cause: undefined,
            flows: new Map(flows.map((flow) => [flow.id, flow])),
            health,
            lastHealth: { health, at: new Date().toISOString() },
          },
        });
    } catch (error) {
      if (get().target !== target || !(error instanceof ApiError)) return;
      set(({ runtime }) => ({ runtime: { ...runtime, reachable: false, error: error.message, cause: causeOf(error), health: undefined } }));
    }
  },
  chooseTarget(name) {
    writeSetting(targetKey, name);
    set({ target: name, runtime: unknownRuntime });
    void get().loadRuntime();
  },
  setCategoryFile: (categoryFile) => set({ categoryFile }),
  setTargets: (targets) => set(({ target }) => ({ targets, target: targets.some(({ name }) => name === target) ? target : targets[0]?.name })),
}));

function causeOf(error: ApiError): RuntimeState["cause"] {
  if (error.status === 401 || error.status === 403) return "token";
  return error.status === 502 || error.status === 504 ? "down" : "other";
}

/** The deployment of a flow; null for none, undefined when the runtime does not respond. */
export function deployedFlow(runtime: RuntimeState, id: string): FlowSummary | null | undefined {
  return runtime.reachable === true ? (runtime.flows.get(id) ?? null) : undefined;
}

const localHosts: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether a target, by default the selected one, is a runtime on this machine. True without a target, so that no confirmation is requested. */
export function isLocalTarget(name = useWorkspace.getState().target): boolean {
  const target = useWorkspace.getState().targets.find((entry) => entry.name === name);
  return target === undefined || localHosts.has(new URL(target.baseUrl).hostname);
}

/** A setting stored in this browser; undefined when it is not set or the storage is disabled. */
export function readSetting(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeSetting(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The setting applies only until the page is closed.
  }
}
