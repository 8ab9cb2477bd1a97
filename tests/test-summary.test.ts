// The end of `npm test`: one block that lists what failed and what was skipped, with the reasons and the totals.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { summarize } from "../scripts/test/summary.mjs";

describe("the summary of a test run", () => {
  it("names what failed, counts what was skipped by reason, and ends with the totals", () => {
    const skipped = ["a.test.ts: x (needs Chromium) y", "a.test.ts: x (needs Chromium) z", "b.test.ts: k (needs kcat)"];
    expect(summarize({ passed: 7, failed: ["b.test.ts: broken"], skipped, slowest: [{ file: "a.test.ts", seconds: 12 }] })).toEqual({
      hasPassed: false,
      lines: [
        ...["Slowest files:", "    12.0 s  a.test.ts", ""],
        ...["Failed:", "  b.test.ts: broken", ""],
        ...["Skipped:", "  2 tests: needs Chromium", "  1 test: needs kcat", ""],
        "7 passed, 1 failed, 3 skipped",
      ],
    });
    expect(summarize({ passed: 7, failed: [], skipped: [] })).toEqual({ hasPassed: true, lines: ["7 passed, 0 failed, 0 skipped"] });
  });

  it("fails for a test that is skipped without a reason", () => {
    const { hasPassed, lines } = summarize({ passed: 1, failed: [], skipped: ["a.test.ts: x"] });
    expect([hasPassed, lines.at(-1), lines.join("\n")]).toEqual([false, "1 passed, 1 failed, 0 skipped", expect.stringContaining("a.test.ts: x")]);
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
