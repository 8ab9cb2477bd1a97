// The linter as `npm run lint` and `npm test` run it: with types, and every finding is an error.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-lint-"));
  writeFileSync(join(folder, "tsconfig.json"), '{"compilerOptions": {"strict": true, "module": "NodeNext"}}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lints one file with this repository's rules. */
function lint(source: string): Promise<{ readonly code: unknown; readonly output: string }> {
  const file = join(folder, "linted.ts");
  writeFileSync(file, source);
  const parameters = [join(root, "node_modules/oxlint/bin/oxlint"), "-c", join(root, ".oxlintrc.json"), file];
  return new Promise((resolve) =>
    execFile(process.execPath, parameters, { cwd: root }, (error, output) => resolve({ code: error === null ? 0 : error.code, output })),
  );
}

const save = "export async function save(): Promise<void> {}\n";

it.each([
  ["a floating promise", `${save}save();\n`, "no-floating-promises"],
  ["a promise as a condition", `${save}export const isSaved = save() ? 1 : 2;\n`, "no-misused-promises"],
  ["a rule that is a warning by default", "export const last = (list: number[]): number[] => list.reverse();\n", "no-array-reverse"],
])("rejects %s", async (_, source, rule) => {
  const { code, output } = await lint(source);
  expect(output).toContain(rule);
  expect(code).toBe(1);
});

it("accepts a promise that is awaited", async () => {
  expect(await lint(`${save}await save();\n`)).toMatchObject({ code: 0, output: expect.stringContaining("0 warnings and 0 errors") });
});

it("is run by npm test with its configuration", () => {
  const command = readFileSync(join(root, "scripts/test.mjs"), "utf8").match(/.*oxlint\/bin.*/)?.[0];
  expect(command).toContain("[`${modules}/oxlint/bin/oxlint`]");
});
