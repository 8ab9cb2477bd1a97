// Size and state of the editor's panels, stored in this browser.
import { create } from "zustand";
import { readSetting, writeSetting } from "../../workspace/workspace-store.ts";

export type PanelName = "inspector" | "dock" | "outline";

interface Panel {
  /** Undefined for the default size. */
  readonly size: number | undefined;
  readonly isCollapsed: boolean;
}

type Panels = Readonly<Record<PanelName, Panel>>;

export const panelLimits = { inspector: { min: 240, max: 640 }, dock: { min: 120, max: 640 }, outline: { min: 160, max: 360 } } as const;

const settingKey = "sluice.panels";
const open: Panel = { size: undefined, isCollapsed: false };

export const usePanels = create<Panels>(() => ({ inspector: open, dock: open, outline: { ...open, isCollapsed: true }, ...stored() }));

export function changePanel(name: PanelName, change: Partial<Panel>): void {
  usePanels.setState((before) => ({ [name]: { ...before[name], ...change } }));
  writeSetting(settingKey, JSON.stringify(usePanels.getState()));
}

function stored(): Partial<Panels> {
  try {
    const kept = JSON.parse(readSetting(settingKey) ?? "{}") as Partial<Record<PanelName, Partial<Panel>>>;
    return { inspector: panelOf(kept.inspector), dock: panelOf(kept.dock), outline: panelOf(kept.outline ?? { isCollapsed: true }) };
  } catch {
    return {};
  }
}

// Hoisted: the store above reads the setting while this module loads.
function panelOf(kept: Partial<Panel> | undefined): Panel {
  return { size: typeof kept?.size === "number" ? kept.size : undefined, isCollapsed: kept?.isCollapsed === true };
}
