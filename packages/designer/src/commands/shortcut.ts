// Compares key presses with shortcuts (`Mod+Shift+Z`) and formats shortcuts for display.

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
  const expected = new Set(parts);
  const mod = mac ? press.metaKey : press.ctrlKey;
  const other = mac ? press.ctrlKey : press.metaKey;
  if (mod !== expected.has("Mod") || other || press.altKey !== expected.has("Alt")) return false;
  // A symbol such as '?' needs Shift on many keyboards, so Shift is compared only for letters, digits and named keys.
  if (/^([a-z]|\d|[a-z]{2,}|f\d+)$/.test(key) && press.shiftKey !== expected.has("Shift")) return false;
  if (press.key.toLowerCase() === key) return true;
  // On a Mac, Alt changes the characters of letters and digits, so the physical key is compared.
  return expected.has("Alt") && (press.code === `Digit${key}` || press.code === `Key${key.toUpperCase()}`);
}

const names: Readonly<Record<string, string>> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Delete: "Del", Enter: "↵" };

/** Formats a shortcut for display: `Mod+Shift+Z` becomes `⌘⇧Z` on a Mac and `Ctrl+Shift+Z` elsewhere. */
export function formatShortcut(shortcut: string, mac = isMac()): string {
  const parts = shortcut
    .split("+")
    .map((part) => names[part] ?? (part === "Mod" ? (mac ? "⌘" : "Ctrl") : part === "Alt" && mac ? "⌥" : part === "Shift" && mac ? "⇧" : part));
  return parts.join(mac ? "" : "+");
}
