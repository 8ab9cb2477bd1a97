// Shortcuts as text (`Mod+Shift+Z`) and as key presses.

export interface KeyPress {
  readonly key: string;
  readonly code?: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

function isMac(): boolean {
  return typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);
}

export function matchesShortcut(shortcut: string, press: KeyPress, mac = isMac()): boolean {
  const parts = shortcut.split("+");
  const key = (parts.pop() as string).toLowerCase();
  const wants = new Set(parts);
  const mod = mac ? press.metaKey : press.ctrlKey;
  const other = mac ? press.ctrlKey : press.metaKey;
  if (mod !== wants.has("Mod") || other || press.altKey !== wants.has("Alt")) return false;
  // A sign such as '?' needs Shift on many keyboards; only letters and named keys tell by Shift.
  if (/^([a-z]|\d|[a-z]{2,})$/.test(key) && press.shiftKey !== wants.has("Shift")) return false;
  if (press.key.toLowerCase() === key) return true;
  // Alt turns letters and digits into other signs on a Mac: the place of the key counts then.
  return wants.has("Alt") && (press.code === `Digit${key}` || press.code === `Key${key.toUpperCase()}`);
}

const names: Readonly<Record<string, string>> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Delete: "Del", Enter: "↵" };

/** The shortcut as a person reads it. */
export function shownShortcut(shortcut: string, mac = isMac()): string {
  const parts = shortcut
    .split("+")
    .map((part) => names[part] ?? (part === "Mod" ? (mac ? "⌘" : "Ctrl") : part === "Alt" && mac ? "⌥" : part === "Shift" && mac ? "⇧" : part));
  return parts.join(mac ? "" : "+");
}
