// The catalog of the selected target: loaded once per target and cached in the browser, so that forms work while the runtime is unreachable.
import { useEffect } from "react";
import type { CatalogView } from "@sluice/model";
import { create } from "zustand";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { readSetting, useWorkspace, writeSetting } from "../workspace/workspace-store.ts";
import { FlowCatalog } from "./flow-catalog.ts";

const settingKey = "sluice.catalog";

interface CatalogState {
  readonly catalog: FlowCatalog | undefined;
  /** The target it was loaded from; undefined for a cached catalog of an earlier visit. */
  readonly target: string | undefined;
}

const useCatalogStore = create<CatalogState>(() => ({ catalog: cachedCatalog(), target: undefined }));

/** The catalog, once it is loaded. */
export function useCatalog(): FlowCatalog | undefined {
  return useCatalogStore((state) => state.catalog);
}

export const currentCatalog = (): FlowCatalog | undefined => useCatalogStore.getState().catalog;

/** Loads the catalog when the editor opens, the target changes, or the runtime becomes reachable again. */
export function useCatalogLoader(): void {
  const target = useWorkspace((state) => state.target);
  const reachable = useWorkspace((state) => state.runtime.reachable);
  useEffect(() => void loadBundledCatalog(), []);
  useEffect(() => {
    if (target === undefined || reachable === false || useCatalogStore.getState().target === target) return;
    runtimeAt(target)
      .call("GET /catalog", { query: { full: true } })
      .then(
        (view) => {
          if (!isCatalog(view) || useWorkspace.getState().target !== target) return;
          useCatalogStore.setState({ catalog: new FlowCatalog(view), target });
          writeSetting(settingKey, JSON.stringify(view));
        },
        () => undefined,
      );
  }, [target, reachable]);
}

/** Loads the catalog that was built with this page, which is used until a runtime responds. */
async function loadBundledCatalog(): Promise<void> {
  if (useCatalogStore.getState().catalog !== undefined) return;
  const view: unknown = await fetch("/catalog.json")
    .then(
      (reply) => reply.json(),
      () => undefined,
    )
    .catch(() => undefined);
  if (isCatalog(view) && useCatalogStore.getState().catalog === undefined) useCatalogStore.setState({ catalog: new FlowCatalog(view) });
}

function cachedCatalog(): FlowCatalog | undefined {
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
