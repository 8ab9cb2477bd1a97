import { readSetting, writeSetting } from "../workspace/workspace-store.ts";

export type Theme = "light" | "dark" | "system";

const key = "sluice.theme";

export function storedTheme(): Theme {
  const value = readSetting(key);
  return value === "light" || value === "dark" ? value : "system";
}

/** Both palettes are defined in the design tokens; only the selection is made here. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  writeSetting(key, theme);
}
