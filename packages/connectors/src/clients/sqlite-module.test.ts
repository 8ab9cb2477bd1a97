import { expect, it } from "vitest";
import { findSqlite, howToGetSqlite, isAffected } from "./sqlite-module.ts";

it.each([
  ["3.47.2", true],
  ["3.51.2", true],
  ["3.51.3", false],
  ["3.53.0", false],
  ["4.0.0", false],
  [undefined, false],
])("SQLite %s: has the defect: %s", (version, expected) => expect(isAffected(version)).toBe(expected));

it("finds the built-in module, or the package on a Node without a sound one", () => {
  const isSound = process.versions["sqlite"] !== undefined && !isAffected();
  expect(findSqlite()).toEqual(isSound ? "node:sqlite" : expect.stringContaining("@photostructure"));
});

it("names the command, the folder and the version of Node that needs no package", () => {
  expect(howToGetSqlite("/srv/sluice")).toBe("run 'npm i @photostructure/sqlite@1.2.1' in /srv/sluice and restart, or use Node 22.23 or newer");
});
