import fc from "fast-check";
import { expect, test } from "vitest";
import { normalizePath, readTarget } from "./target.ts";

test.each([
  ["/_api", []],
  ["/_api/flows", ["flows"]],
  ["/_api/flows/a%20b", ["flows", "a b"]],
  ["/_api/flows/..%2f..%2fetc", ["flows", "../../etc"]],
  ["/_api/flows/a%00", ["flows", "a\0"]],
  ["/_api/flows/%zz", ["flows", "%zz"]],
  ["/_api/", [""]],
  ["/_api//flows", ["", "flows"]],
])("%s belongs to the management API", (path, segments) => {
  expect(readTarget(path)).toEqual({ kind: "management", segments });
});

test.each([
  "/_API/flows",
  "/_Api",
  "/%5fapi/flows",
  "/_%61pi/x",
  "//_api/flows",
  "/x/../_api/flows",
  "/./_api",
  "/_api/../_api/flows",
  "/_api/../orders",
  "/_api/%2e%2e/x",
  "/x/%2e%2e/_api",
  "http://host/_API",
  "/%5FAPI",
])("%s is a spelling under /_api that is never served", (path) => {
  expect(readTarget(path)).toEqual({ kind: "management", segments: undefined });
});

test.each([
  ["/_apix", "/_apix"],
  ["/my_api", "/my_api"],
  ["/api/_api", "/api/_api"],
  ["/api//x/", "/api/x"],
  ["/api/a/../b", "/api/b"],
  ["/api/gr%C3%B6%C3%9Fe", "/api/größe"],
  ["/api/a%25b", "/api/a%b"],
  ["/", "/"],
  ["http://host:80/api/x", "/api/x"],
  ["http://host", "/"],
  ["/%255fapi/flows", "/%5fapi/flows"],
])("%s is the route path %s", (path, normal) => {
  expect(readTarget(path)).toEqual({ kind: "route", path: normal });
});

test.each([
  "/a%00b",
  "/a%2fb",
  "/a%5cb",
  "/a\\b",
  "/%",
  "/%zz",
  "/%c3%28",
  "/..",
  "/a/../../b",
  "/a#b",
  "*",
  "orders",
  "ftp://x/y",
  "/%5fapi%2fflows",
  "/a%0d%0ab",
  "/a%7f",
])("%s is rejected as invalid", (path) => {
  expect(readTarget(path).kind).toBe("invalid");
});

test("a normalized path stays unchanged when normalized again", () => {
  const segmentLists = fc.array(fc.string({ unit: fc.constantFrom("a", "B", ".", "%", "é", " ", "{", "_"), minLength: 1, maxLength: 4 }), { maxLength: 5 });
  fc.assert(
    fc.property(segmentLists, (segments) => {
      const once = normalizePath(`/${segments.map(encodeURIComponent).join("/")}`);
      if (once === undefined) return;
      expect(normalizePath(once.split("/").map(encodeURIComponent).join("/"))).toBe(once);
      expect(once).toMatch(/^\/(?!.*\/\/)/);
    }),
  );
});

test("no spelling of a path under /_api is ever a route path", () => {
  const spell = (letter: string): fc.Arbitrary<string> =>
    fc.constantFrom(letter, letter.toUpperCase(), `%${letter.charCodeAt(0).toString(16)}`, `%${letter.toUpperCase().charCodeAt(0).toString(16).toUpperCase()}`);
  const api = fc.tuple(spell("_"), spell("a"), spell("p"), spell("i")).map((letters) => letters.join(""));
  const prefix = fc.array(fc.constantFrom("", ".", "x/..", "%2e", "y/%2E%2e"), { maxLength: 3 }).map((parts) => parts.map((part) => `/${part}`).join(""));
  const suffix = fc.constantFrom("", "/", "/flows", "//flows", "/flows/..", "/./x");
  fc.assert(
    fc.property(prefix, api, suffix, (head, middle, tail) => {
      expect(readTarget(`${head}/${middle}${tail}`).kind).toBe("management");
    }),
    { numRuns: 2000 },
  );
});
