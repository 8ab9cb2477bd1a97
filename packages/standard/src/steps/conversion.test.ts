import { diagnosticsOf, flow } from "@sluice/testkit";
import { expect, it } from "vitest";

it("converts, and fails for invalid values unless mandatory is false", async () => {
  const strict = await flow("- convertBodyTo: int");
  expect((await strict({ body: "12" })).body).toBe(12);
  expect((await strict({ body: null })).body).toBeNull();
  expect((await strict({ body: "abc" })).error).toBeDefined();
  const lenient = await flow("- convertBodyTo: {type: int, mandatory: false}");
  expect(await lenient({ body: "abc" })).toMatchObject({ body: null, error: undefined });
});

it("reads and writes other charsets", async () => {
  const latin = new Uint8Array([0x67, 0x72, 0xfc, 0xdf]);
  const read = await flow("- convertBodyTo: {type: String, charset: ISO-8859-1}");
  expect((await read({ body: latin })).body).toBe("grüß");
  const write = await flow(`- convertBodyTo: {type: "byte[]", charset: ISO-8859-1}`);
  expect((await write({ body: "grüß€" })).body).toEqual(new Uint8Array([...latin, 0x3f]));
});

it("reports unknown types and charsets", () => {
  expect(diagnosticsOf("- convertBodyTo: com.acme.Order").join()).toContain("unknown type 'com.acme.Order'");
  expect(diagnosticsOf("- convertBodyTo: {type: String, charset: klingon}").join()).toContain("unknown charset 'klingon'");
});

it("ignores a missing header or variable, and keeps the source when a target is named", async () => {
  const run = await flow(`
    - convertHeaderTo: {name: qty, toName: n, type: int}
    - convertHeaderTo: {name: none, type: int}
    - convertVariableTo: {name: none, type: int}
  `);
  const { headers, exchange } = await run({ headers: { qty: "9" } });
  expect(headers).toEqual({ qty: "9", n: 9 });
  expect(exchange.variables?.size ?? 0).toBe(0);
});
