import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("..", import.meta.url));
const sources = readdirSync(folder, { encoding: "utf8", recursive: true })
  .filter((path) => /\.(css|tsx?)$/.test(path))
  .map((path) => readFileSync(join(folder, path), "utf8"));
const matches = (pattern: RegExp): readonly string[] => sources.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name as string));

// A browser ignores a declaration with an undefined property, so the mistake is easily overlooked.
test("every custom property that is used without a fallback is defined", () => {
  const defined = new Set(matches(/(--[\w-]+)"?\s*:/g));
  expect([...new Set(matches(/var\((--[\w-]+)\)/g))].filter((name) => !defined.has(name))).toEqual([]);
});
