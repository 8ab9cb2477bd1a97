import { connectorUnderTest, exchangeOf, FakeHost } from "@sluice/testkit";
import { expect, it } from "vitest";
import { mock } from "./mock.ts";

it("passes a message through unchanged and cannot be a source", () => {
  const { sink, source } = connectorUnderTest(mock, new FakeHost());
  const exchange = exchangeOf("x", { h: 1 });
  expect(sink("mock:out?retainLast=5").send(exchange)).toBeUndefined();
  expect([exchange.message.body, exchange.message.headers.toObject()]).toEqual(["x", Object.assign(Object.create(null), { h: 1 })]);
  expect(() => source("mock:out")).toThrow("mock has no source");
});
