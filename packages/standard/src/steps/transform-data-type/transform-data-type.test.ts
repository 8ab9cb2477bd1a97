import { diagnosticsOf, flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("transformDataType", () => {
  it.each([
    ["text-plain", bytes("Zoë"), "Zoë", "text/plain"],
    ["text/plain", 12, "12", "text/plain"],
    ["text-plain", null, null, "text/plain"],
    ["application-octet-stream", "Zoë", bytes("Zoë"), "application/octet-stream"],
    ["application-json", '{"a": 1}', bytes('{"a": 1}'), "application/json"],
    ["application-json", new Map([["a", [1, null]]]), bytes('{"a":[1,null]}'), "application/json"],
    ["application-json", "no json", bytes('"no json"'), "application/json"],
    ["application-json", null, bytes("null"), "application/json"],
    ["application-x-struct", bytes('[{"a":1}]'), [{ a: 1 }], "application/x-struct"],
    ["application-json", { id: 12345678901234567890n }, bytes('{"id":12345678901234567890}'), "application/json"],
    ["application-json", 12345678901234567890n, bytes("12345678901234567890"), "application/json"],
    ["application-x-struct", '{"id":12345678901234567890}', { id: 12345678901234567890n }, "application/x-struct"],
    ["application-x-struct", null, {}, "application/x-struct"],
    ["java:java.lang.Integer", "12", 12, "text/original"],
  ])("converts to %s (case %#)", async (toType, body, expected, contentType) => {
    const run = await flow(`transformDataType: {fromType: anything, toType: "${toType}"}`);
    const result = await run({ body, headers: { "Content-Type": "text/original" } });
    expect(result.body).toEqual(expected);
    expect(result.headers["Content-Type"]).toBe(contentType);
  });

  it("treats an XML document as its text", async () => {
    const run = await flow("- setBody: {xpath: {expression: /a, resultQName: NODE}}\n- transformDataType: {toType: application-json}");
    const result = await run({ body: "<a>1</a>" });
    expect(new TextDecoder().decode(result.body as Uint8Array)).toMatch(/^".*<a>1<.a>"$/);
  });

  it("fails the message when the body is not JSON", async () => {
    const run = await flow("transformDataType: {toType: application-x-struct}");
    expect((await run({ body: "{" })).error).toBe("the body is not valid JSON and cannot be converted to application-x-struct");
  });

  it("rejects types that need Java or that do not exist", () => {
    for (const type of ["avro-binary", "xml:Order"])
      expect(diagnosticsOf(`transformDataType: {toType: "${type}"}`)).toEqual([expect.stringContaining(`unknown data type '${type}'`)]);
    expect(diagnosticsOf("transformDataType: {toType: 'java:com.example.Order'}")).toEqual([expect.stringContaining("com.example.Order")]);
  });
});
