import { expect, test } from "vitest";
import { claimsReservedPath } from "./reserved-path.ts";

test.each([
  "/_api",
  "/_api/",
  "/_api/x",
  "_api/x",
  "/_API/x",
  "/_Api",
  "/%5Fapi/x",
  "/_%61pi/x",
  "/%255Fapi",
  "/%25255fapi/x",
  "/api/../_api/x",
  "/./_api/x",
  "/x/%2e%2e/_api",
  "//_api",
  "/a/b/../../_api",
  "/../_api",
  "\\_api\\flows",
  "/_api;x=1/flows",
  "/_api?x=1",
  "/{p}/flows",
  "/*",
  "/**",
  "/{p}",
  "/_{rest}",
  "/{a}pi/x",
  "/_*pi/x",
  "/{p:.{4}}/x",
  "/\uFF3Fapi/x",
])("%s overlaps the management API", (path) => expect(claimsReservedPath(path)).toBe(true));

test.each([
  "/_apix",
  "/my_api",
  "/api/_api",
  "/api/x/_api",
  "/api/*",
  "/api/{p}",
  "/x{p}/flows",
  "/_api2/x",
  "/",
  "",
  "/%",
  "/%zz/_api",
  "/a/{b}/_api",
  "/{p}x/y",
  "/_apis/*",
])("%s does not overlap the management API", (path) => expect(claimsReservedPath(path)).toBe(false));

test("the root as a prefix matches everything", () => {
  expect(claimsReservedPath("/", { prefix: true })).toBe(true);
  expect(claimsReservedPath("/orders", { prefix: true })).toBe(false);
});

test("a repeatedly encoded path is rejected without endless decoding", () => {
  expect(claimsReservedPath(`/%${"25".repeat(5000)}5fapi`)).toBe(true);
});
