import { describe, expect, it } from "vitest";
import { copyExchange } from "../tools/copy-exchange.ts";
import { Exchange } from "./exchange.ts";
import { Message } from "./message.ts";
import { Run } from "./run.ts";

const newExchange = (): Exchange =>
  new Exchange("e", new Run("run_e", { id: "r", flowId: "f", flowHash: "" }, 0, { uri: "direct:r" }), "InOut", new Message("x"));

describe("properties of an exchange", () => {
  it("do not change the map they were created from", () => {
    const shared = new Map<string, unknown>([["who", "ada"]]);
    const [one, other] = [newExchange(), newExchange()];
    one.properties = shared;
    other.properties = shared;
    one.setProperty("seen", true);
    one.removeProperty("who");
    expect([...shared]).toEqual([["who", "ada"]]);
    expect([one.property("who"), one.property("seen"), other.property("who"), other.property("seen")]).toEqual([undefined, true, "ada", undefined]);
  });

  it("are a snapshot once shared", () => {
    const exchange = newExchange();
    expect(exchange.shareProperties()).toBeUndefined();
    exchange.setProperty("a", 1);
    const before = exchange.shareProperties();
    exchange.setProperty("a", 2);
    exchange.setProperty("b", 3);
    const after = exchange.shareProperties();
    exchange.removeProperty("a");
    expect([before, after, exchange.properties].map((properties) => [...(properties ?? [])])).toEqual([
      [["a", 1]],
      [
        ["a", 2],
        ["b", 3],
      ],
      [["b", 3]],
    ]);
  });

  it("change independently in a copy and its original", () => {
    const original = newExchange();
    original.setProperty("a", 1);
    const copy = copyExchange(original, { next: () => "copy" });
    copy.setProperty("a", 2);
    original.setProperty("b", 3);
    expect([original.property("a"), copy.property("a"), copy.property("b"), copy.property("CamelCorrelationId")]).toEqual([1, 2, undefined, "e"]);
    original.removeProperty("none");
    expect([...(original.properties ?? [])]).toEqual([
      ["a", 1],
      ["b", 3],
    ]);
  });
});
