import { readSetting, writeSetting } from "../workspace/workspace-store.ts";

export type Theme = "light" | "dark" | "system";

const key = "sluice.theme";

export function storedTheme(): Theme {
  const value = readSetting(key);
  return value === "light" || value === "dark" ? value : "system";
}

/** Selects one of the palettes, which are defined in tokens.css, and stores the choice. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  writeSetting(key, theme);
}
