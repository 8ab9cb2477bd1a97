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
const open: Panel = { size: undefined, isCollapsed: false };

/** From this width on, there is room for the data panel beside canvas and inspector. */
const roomForData = 1440;

export const usePanels = create<Panels>(() => ({
  inspector: open,
  dock: open,
  outline: { ...open, isCollapsed: true },
  data: { ...open, isCollapsed: innerWidth < roomForData },
  sheet: open,
  ...stored(),
}));

export function changePanel(name: PanelName, change: Partial<Panel>): void {
  usePanels.setState((before) => ({ [name]: { ...before[name], ...change } }));
  writeSetting(settingKey, JSON.stringify(usePanels.getState()));
}

function stored(): Partial<Panels> {
  try {
    const kept = JSON.parse(readSetting(settingKey) ?? "{}") as Partial<Record<PanelName, Partial<Panel>>>;
    return {
      inspector: panelOf(kept.inspector),
      dock: panelOf(kept.dock),
      outline: panelOf(kept.outline ?? { isCollapsed: true }),
      data: panelOf(kept.data ?? { isCollapsed: innerWidth < roomForData }),
      sheet: panelOf(kept.sheet),
    };
  } catch {
    return {};
  }
}

// Hoisted: the store above reads the setting while this module loads.
function panelOf(kept: Partial<Panel> | undefined): Panel {
  return { size: typeof kept?.size === "number" ? kept.size : undefined, isCollapsed: kept?.isCollapsed === true };
}
