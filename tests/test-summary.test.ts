// The end of `npm test`: one block that lists what failed and what was skipped, with the reasons and the totals.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { mergeResults, summarize } from "../scripts/test/summary.mjs";

const emptyResults = { passed: 0, failed: [], skipped: [], retried: [] };

describe("the summary of a test run", () => {
  it("counts over all parts and ends with the totals", () => {
    const parts = [
      { ...emptyResults, passed: 3, skipped: ["a.test.ts: x (needs Chromium) y", "a.test.ts: x (needs Chromium) z"] },
      { ...emptyResults, passed: 4, failed: ["b.test.ts: broken"] },
    ];
    expect(summarize(mergeResults(parts))).toEqual({
      hasPassed: false,
      lines: ["Failed:", "  b.test.ts: broken", "", "Skipped:", "  2 tests: needs Chromium", "", "7 passed, 1 failed, 2 skipped"],
    });
    expect(summarize({ ...emptyResults, passed: 7 })).toEqual({ hasPassed: true, lines: ["7 passed, 0 failed, 0 skipped"] });
  });

  it("fails for a test that is skipped without a reason", () => {
    const { hasPassed, lines } = summarize({ ...emptyResults, passed: 1, skipped: ["a.test.ts: x"] });
    expect([hasPassed, lines.at(-1), lines.join("\n")]).toEqual([false, "1 passed, 1 failed, 0 skipped", expect.stringContaining("a.test.ts: x")]);
  });

  it("lists retried tests, and fails if the same test was retried in two successive runs", () => {
    const retried = [{ name: "a.test.ts: slow", error: "timed out" }];
    const first = summarize({ ...emptyResults, passed: 2, retried });
    expect([first.hasPassed, first.lines.join("\n")]).toEqual([true, expect.stringContaining("a.test.ts: slow\n    timed out")]);
    expect(summarize({ ...emptyResults, passed: 2, retried }, ["b.test.ts: other"]).hasPassed).toBe(true);
    const second = summarize({ ...emptyResults, passed: 2, retried }, ["a.test.ts: slow"]);
    expect([second.hasPassed, second.lines.at(-1)]).toEqual([false, "1 passed, 1 failed, 0 skipped"]);
  });
});

it("every test that may be skipped states in its title what it needs", () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const folders = ["tests", ...readdirSync(join(root, "packages")).map((name) => join("packages", name, "src"))];
  const files = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
    .filter((name) => /\.test(-support)?\.ts$/.test(name));
  const withoutReason = files.flatMap((name) =>
    [...readFileSync(join(root, name), "utf8").matchAll(/\.skipIf\([^\n]*\n?[^\n]*/g)]
      .filter(([call]) => !call.includes("(needs "))
      .map(([call]) => `${name}: ${call}`),
  );
  expect(files.length).toBeGreaterThan(300);
  expect(withoutReason).toEqual([]);
});
