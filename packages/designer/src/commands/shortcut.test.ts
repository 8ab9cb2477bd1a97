import { expect, test } from "vitest";
import { matchesShortcut, formatShortcut } from "./shortcut.ts";

const press = (key: string, keys: Partial<Record<"ctrlKey" | "metaKey" | "altKey" | "shiftKey", boolean>> = {}, code?: string) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...keys,
  ...(code === undefined ? {} : { code }),
});

test("Mod is Ctrl, or ⌘ on a Mac", () => {
  expect(matchesShortcut("Mod+S", press("s", { ctrlKey: true }), false)).toBe(true);
  expect(matchesShortcut("Mod+S", press("s", { metaKey: true }), true)).toBe(true);
  expect(matchesShortcut("Mod+S", press("s", { ctrlKey: true }), true)).toBe(false);
});

test("Shift matters for letters, not for symbols", () => {
  expect(matchesShortcut("Mod+Z", press("Z", { ctrlKey: true, shiftKey: true }), false)).toBe(false);
  expect(matchesShortcut("Mod+Shift+Z", press("Z", { ctrlKey: true, shiftKey: true }), false)).toBe(true);
  expect(matchesShortcut("?", press("?", { shiftKey: true }), false)).toBe(true);
});

test("Alt with a digit matches the physical key", () => {
  expect(matchesShortcut("Alt+1", press("¡", { altKey: true }, "Digit1"), true)).toBe(true);
});

test("a shortcut is formatted for the platform", () => {
  expect(formatShortcut("Mod+Shift+Z", false)).toBe("Ctrl+Shift+Z");
  expect(formatShortcut("Mod+Enter", true)).toBe("⌘↵");
});
