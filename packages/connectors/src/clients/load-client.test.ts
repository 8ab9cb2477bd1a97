import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { findClient, loadClient } from "./load-client.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-client-"));
  vi.spyOn(process, "cwd").mockReturnValue(folder);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

function install(name: string, manifest: object, files: Readonly<Record<string, string>>): void {
  const packageFolder = join(folder, "node_modules", name);
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(join(packageFolder, "package.json"), JSON.stringify({ name, ...manifest }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(packageFolder, file), text);
}

const clientPackage = (name: string) => ({ package: name, version: "2.1.0", reason: "the protocol" });

it("finds packages in the working directory, both ES modules and CommonJS", async () => {
  install("of-modules", { version: "2.9.9", type: "module", exports: { ".": { import: "./main.js" } } }, { "main.js": "export const kind = 'module';" });
  install("@scope/of-commonjs", { version: "3.0.0", main: "main.cjs" }, { "main.cjs": "exports.kind = 'commonjs';" });
  expect(await loadClient(clientPackage("of-modules"))).toMatchObject({ kind: "module" });
  expect(await loadClient(clientPackage("@scope/of-commonjs"))).toMatchObject({ kind: "commonjs" });
  expect(findClient(clientPackage("of-modules"))).toMatchObject({ version: "2.9.9", isTested: true });
  expect(findClient(clientPackage("@scope/of-commonjs"))).toMatchObject({ version: "3.0.0", isTested: false });
});

it("prefers packages installed next to the runtime", () => {
  install("croner", { version: "0.0.1" }, {});
  expect(findClient({ package: "croner", version: "11.0.0", reason: "schedules" })).toMatchObject({ isTested: true });
});

it("names the command and the folder when a package is missing", async () => {
  await expect(loadClient(clientPackage("not-there"))).rejects.toMatchObject({
    code: "client-missing",
    message: expect.stringContaining(`run 'npm i not-there@2.1.0' in ${folder}, then deploy again`),
  });
});
