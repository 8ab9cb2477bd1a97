// The types for authors of functions match those of the runtime, and the package exports them.
import { readFileSync } from "node:fs";
import type { Exchange, IdempotentRepository } from "@sluice/engine";
import { expect, it } from "vitest";
import type * as authored from "../packages/cli/src/library/functions.ts";

/** Compiles only while the runtime's exchange has everything that is documented for authors. */
const asAuthored = (exchange: Exchange): authored.Exchange => exchange;
const asRepository = (repository: authored.IdempotentRepository): IdempotentRepository => repository;

it("the package exports the types, which import nothing", () => {
  expect([asAuthored, asRepository]).toHaveLength(2);
  const root = new URL("../packages/cli/", import.meta.url);
  const { exports, files } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
    readonly exports: { readonly "./functions": { readonly types: string } };
    readonly files: readonly string[];
  };
  expect(exports["./functions"].types).toBe("./dist/library/functions.d.ts");
  expect(files).toContain("dist/library/*.d.ts");
  expect(readFileSync(new URL("src/library/functions.ts", root), "utf8")).not.toMatch(/^import /m);
});
