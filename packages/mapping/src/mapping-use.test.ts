import { expect, it } from "vitest";
import { mentionsDocument, mentionsTable } from "./mapping-use.ts";

it("finds every way a flow names a mapping, but not longer names with the same prefix", () => {
  expect(mentionsTable("uom")("to: value-mapping:uom?from=a")).toBe(true);
  expect(mentionsTable("uom")("setBody: {simple: '${valueMapping(uom,shop,sap,${body})}'}")).toBe(true);
  expect(mentionsTable("uom")("to: value-mapping:uom-2?from=a")).toBe(false);
  expect(mentionsTable("u.m")("to: value-mapping:uxm?from=a")).toBe(false);
  expect(mentionsDocument("m")("to:\n  uri: message-mapping\n  parameters: {mapping: m}\n")).toBe(true);
  expect(mentionsDocument("m")("to:\n  uri: log\n  parameters: {mapping: m}\n")).toBe(false);
});
