// The catalogue of the chosen target: asked once per target, kept in the browser so that forms work while the runtime is away.
import { useEffect } from "react";
import type { CatalogView } from "@sluice/model";
import { create } from "zustand";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { readSetting, useWorkspace, writeSetting } from "../workspace/workspace-store.ts";
import { FlowCatalog } from "./flow-catalog.ts";

const settingKey = "sluice.catalog";

interface CatalogState {
  readonly catalog: FlowCatalog | undefined;
  /** The target it was read from; undefined for what an earlier visit left. */
  readonly target: string | undefined;
}

const useCatalogStore = create<CatalogState>(() => ({ catalog: kept(), target: undefined }));

/** The catalogue, as soon as there is one. */
export function useCatalog(): FlowCatalog | undefined {
  return useCatalogStore((state) => state.catalog);
}

export const currentCatalog = (): FlowCatalog | undefined => useCatalogStore.getState().catalog;

/** Reads the catalogue when the editor opens, the target changes, or the runtime comes back. */
export function useCatalogUpkeep(): void {
  const target = useWorkspace((state) => state.target);
  const reachable = useWorkspace((state) => state.runtime.reachable);
  useEffect(() => {
    if (target === undefined || reachable === false || useCatalogStore.getState().target === target) return;
    runtimeAt(target)
      .call("GET /catalog")
      .then(
        (view) => {
          if (!isCatalog(view)) return;
          useCatalogStore.setState({ catalog: new FlowCatalog(view), target });
          writeSetting(settingKey, JSON.stringify(view));
        },
        () => undefined,
      );
  }, [target, reachable]);
}

function kept(): FlowCatalog | undefined {
  const text = readSetting(settingKey);
  if (text === undefined) return undefined;
  try {
    const view: unknown = JSON.parse(text);
    return isCatalog(view) ? new FlowCatalog(view) : undefined;
  } catch {
    return undefined;
  }
}

const isCatalog = (view: unknown): view is CatalogView =>
  typeof view === "object" && view !== null && Array.isArray((view as CatalogView).steps) && Array.isArray((view as CatalogView).connectors);
