import { expect, it } from "vitest";
import { namesDocument, namesTable } from "./mapping-use.ts";

it("finds every way a flow names a mapping, but not longer names with the same prefix", () => {
  expect(namesTable("uom")("to: value-mapping:uom?from=a")).toBe(true);
  expect(namesTable("uom")("setBody: {simple: '${valueMapping(uom,shop,sap,${body})}'}")).toBe(true);
  expect(namesTable("uom")("to: value-mapping:uom-2?from=a")).toBe(false);
  expect(namesTable("u.m")("to: value-mapping:uxm?from=a")).toBe(false);
  expect(namesDocument("m")("to:\n  uri: message-mapping\n  parameters: {mapping: m}\n")).toBe(true);
  expect(namesDocument("m")("to:\n  uri: log\n  parameters: {mapping: m}\n")).toBe(false);
});
