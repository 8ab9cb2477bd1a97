import { expect, test } from "vitest";
import { formats, refusedFormats } from "./index.ts";

test("every format is listed once, described, and not refused at the same time", () => {
  const names = formats.map((format) => format.name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => refusedFormats.has(name))).toEqual([]);
  for (const format of formats) {
    expect(Object.hasOwn(format.options, "id"), format.name).toBe(true);
    expect(format.summary, format.name).toMatch(/\.$/);
    if (format.name !== "custom") expect(format.examples.length, format.name).toBeGreaterThan(0);
  }
});
