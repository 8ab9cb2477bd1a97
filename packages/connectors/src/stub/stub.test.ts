import { connectorUnderTest, exchangeOf, FakeHost, FakeRouteInput, settle } from "@sluice/testkit";
import { expect, it } from "vitest";
import { seda } from "../seda/seda.ts";
import { stub } from "./stub.ts";

it("accepts any option and is separate from seda queues of the same name", async () => {
  const host = new FakeHost();
  const stubs = connectorUnderTest(stub, host);
  const queues = connectorUnderTest(seda, host);
  const [stubbed, queued] = [new FakeRouteInput(), new FakeRouteInput()];
  const source = stubs.source("stub:jms:orders?transacted=true");
  expect(source.claims).toEqual(["stub:jms:orders"]);
  void source.start(stubbed);
  void queues.source("seda:jms:orders").start(queued);
  void stubs.sink("stub:jms:orders?deliveryMode=2").send(exchangeOf("x"));
  await settle();
  expect([stubbed.bodies, queued.bodies]).toEqual([["x"], []]);
});
