import { FlowError } from "@sluice/engine/spi";
import { connectorUnderTest, exchangeOf, FakeHost } from "@sluice/testkit";
import { expect, it } from "vitest";
import { valueMapping } from "./value-mapping.ts";

function sinkWith(find: FakeHost["lookup"]["find"], uri: string) {
  const host = new FakeHost();
  host.lookup = { find };
  return connectorUnderTest(valueMapping, host).sink(uri);
}

it("looks up the body, bytes as text, and keeps headers", () => {
  const lookups: unknown[] = [];
  const sink = sinkWith((...lookup) => {
    lookups.push(lookup);
    return "ST";
  }, "value-mapping:uom?from=shop&to=sap");
  const exchange = exchangeOf(new TextEncoder().encode("piece"), { h: 1 });
  expect(sink.send(exchange)).toBeUndefined();
  expect(lookups).toEqual([["uom", "shop", "sap", "piece", undefined]]);
  expect([exchange.message.body, exchange.message.headers.get("h")]).toEqual(["ST", 1]);
});

it("fails with the error of the lookup and keeps the body", () => {
  const failure = new FlowError("java.util.NoSuchElementException", "no entry for 'crate'");
  const exchange = exchangeOf("crate");
  expect(() =>
    sinkWith(() => {
      throw failure;
    }, "value-mapping:uom").send(exchange),
  ).toThrow(failure);
  expect(exchange.message.body).toBe("crate");
});

it("reads the key from a header, writes the result to another, and overrides the default for missing entries", () => {
  const lookups: unknown[] = [];
  const sink = sinkWith((...lookup) => {
    lookups.push(lookup);
    return null;
  }, "value-mapping:uom?from=shop&to=sap&onMissing=null&header=unit&resultHeader=meins");
  const exchange = exchangeOf("untouched", { unit: "crate" });
  expect(sink.send(exchange)).toBeUndefined();
  expect(lookups).toEqual([["uom", "shop", "sap", "crate", "null"]]);
  expect([exchange.message.body, exchange.message.headers.get("meins")]).toEqual(["untouched", null]);
});

it("rejects a body that is not a single value", () => {
  expect(() => sinkWith(() => "never called", "value-mapping:uom").send(exchangeOf({ unit: "piece" }))).toThrow(
    "value-mapping table 'uom' needs a single value as its key",
  );
});
