import { connectorUnderTest, exchangeOf, failureOf, FakeHost } from "@sluice/testkit";
import { expect, it } from "vitest";
import { saga, sagaProperty } from "./saga.ts";

it.each(["complete", "compensate"])("ends the saga of the exchange: %s", async (action) => {
  const ended: string[] = [];
  const exchange = exchangeOf();
  exchange.setProperty(sagaProperty, { complete: async () => void ended.push("complete"), compensate: () => void ended.push("compensate") });
  await connectorUnderTest(saga, new FakeHost()).sink(`saga:${action}`).send(exchange);
  expect(ended).toEqual([action]);
});

it("fails outside a saga and rejects unknown actions", async () => {
  const { sink } = connectorUnderTest(saga, new FakeHost());
  expect((await failureOf(() => sink("saga:complete").send(exchangeOf()))).code).toBe("saga-missing");
  expect(() => sink("saga:abort")).toThrow(/one of complete, compensate/);
});
