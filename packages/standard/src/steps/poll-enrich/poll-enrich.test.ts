import { Headers, Message } from "@sluice/engine";
import { flow } from "@sluice/testkit";
import { expect, it } from "vitest";
import { polledQueue } from "../polled-queue.test-support.ts";

const storedMessage = (): Message => new Message("stored", Headers.of({ polled: 1 }));

it.each(['pollEnrich: {constant: "seda:box", timeout: 7}', 'poll: {uri: "seda:box", timeout: 7}'])(
  "%s uses the polled body and headers, or a null body if there is no message",
  async (step) => {
    const box = polledQueue(storedMessage());
    const run = await flow(`- ${step}`, { connectors: [box] });
    expect(await run({ body: "x", headers: { mine: 2 } })).toMatchObject({ body: "stored", headers: { mine: 2, polled: 1 } });
    expect((await run({ body: "x" })).body).toBeNull();
    expect(box.waits).toEqual([7, 7]);
  },
);

it("keeps the message with variableReceive or when a strategy returns it", async () => {
  const variable = await flow(`- pollEnrich: {constant: "seda:box", variableReceive: received}`, { connectors: [polledQueue(storedMessage())] });
  const { body, headers, exchange } = await variable({ body: "x" });
  expect([body, headers, exchange.variable("received"), exchange.variable("header:received.polled")]).toEqual(["x", {}, "stored", 1]);
  const strategy = await flow(`- pollEnrich: {constant: "seda:box", aggregationStrategy: useOriginal}`, { connectors: [polledQueue(storedMessage())] });
  expect((await strategy({ body: "x" })).body).toBe("x");
});

it("continues without polling when the endpoint is invalid and ignoreInvalidEndpoint is set", async () => {
  const run = await flow(`- pollEnrich: {simple: "nosuch:\${body}", ignoreInvalidEndpoint: true}`);
  expect(await run({ body: "x" })).toMatchObject({ body: "x", error: undefined });
});
