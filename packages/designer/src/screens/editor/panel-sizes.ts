// Size and state of the editor's panels, stored in this browser.
import { create } from "zustand";
import { readSetting, writeSetting } from "../../workspace/workspace-store.ts";

export type PanelName = "inspector" | "dock" | "outline" | "data" | "sheet";

interface Panel {
  /** Undefined for the default size. */
  readonly size: number | undefined;
  readonly isCollapsed: boolean;
}

type Panels = Readonly<Record<PanelName, Panel>>;

export const panelLimits = {
  inspector: { min: 240, max: 640 },
  dock: { min: 120, max: 640 },
  outline: { min: 160, max: 360 },
  data: { min: 200, max: 520 },
  sheet: { min: 200, max: 760 },
} as const;

const settingKey = "sluice.panels";
const expanded: Panel = { size: undefined, isCollapsed: false };
const collapsed: Panel = { size: undefined, isCollapsed: true };

/** From this width on, there is room for the data panel beside canvas and inspector. */
const minWidthForData = 1440;

export const usePanels = create<Panels>(() => ({
  inspector: expanded,
  dock: collapsed,
  outline: collapsed,
  data: { ...expanded, isCollapsed: innerWidth < minWidthForData },
  sheet: expanded,
  ...readStored(),
}));

export function changePanel(name: PanelName, change: Partial<Panel>): void {
  usePanels.setState((before) => ({ [name]: { ...before[name], ...change } }));
  writeSetting(settingKey, JSON.stringify(usePanels.getState()));
}

export const togglePanel = (name: PanelName): void => changePanel(name, { isCollapsed: !usePanels.getState()[name].isCollapsed });

function readStored(): Partial<Panels> {
  try {
    const stored = JSON.parse(readSetting(settingKey) ?? "{}") as Partial<Record<PanelName, Partial<Panel>>>;
    return {
      inspector: panelOf(stored.inspector),
      dock: panelOf(stored.dock ?? collapsed),
      outline: panelOf(stored.outline ?? collapsed),
      data: panelOf(stored.data ?? { isCollapsed: innerWidth < minWidthForData }),
      sheet: panelOf(stored.sheet),
    };
  } catch {
    return {};
  }
}

// Hoisted: the store above reads the setting while this module loads.
function panelOf(stored: Partial<Panel> | undefined): Panel {
  return { size: typeof stored?.size === "number" ? stored.size : undefined, isCollapsed: stored?.isCollapsed === true };
}
