// Runs the tests in `tests/designer` that call `findingsOf` again, with axe-core: it checks the states of the screens that they reach.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import { enableAxe } from "../../designer/axe.ts";

beforeAll(() => enableAxe(true));
afterAll(() => enableAxe(false));

const folder = new URL("../../designer/", import.meta.url);
for (const name of readdirSync(folder))
  if (name.endsWith(".test.ts") && readFileSync(new URL(name, folder), "utf8").includes("findingsOf(")) await import(new URL(name, folder).href);
