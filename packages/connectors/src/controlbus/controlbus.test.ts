import { FlowError } from "@sluice/engine/spi";
import { connectorUnderTest, exchangeOf, failureOf, FakeHost, settle } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { controlbusConnector, noControl, type RouteControl } from "./controlbus.ts";

function setUp(answer: RouteControl["act"] = async () => "Started") {
  const host = new FakeHost();
  const calls: string[] = [];
  const control: RouteControl = {
    act(routeId, action) {
      calls.push(`${action} ${routeId}`);
      return answer(routeId, action);
    },
  };
  return { host, calls, sink: connectorUnderTest(controlbusConnector(control), host).sink };
}

describe("controlbus", () => {
  it("puts the status into the body", async () => {
    const { sink } = setUp();
    const exchange = exchangeOf("x");
    await sink("controlbus:route?routeId=orders&action=status").send(exchange);
    expect(exchange.message.body).toBe("Started");
  });

  it("acts and leaves the body alone", async () => {
    const { sink, calls } = setUp();
    const exchange = exchangeOf("x");
    await sink("controlbus:route?routeId=orders&action=suspend").send(exchange);
    expect([calls, exchange.message.body]).toEqual([["suspend orders"], "x"]);
  });

  it("fails with what the action failed with", async () => {
    const failure = new FlowError("java.lang.IllegalArgumentException", "no route 'x'");
    const { sink } = setUp(() => Promise.reject(failure));
    expect(await failureOf(() => sink("controlbus:route?routeId=x&action=start").send(exchangeOf()))).toBe(failure);
  });

  it.each(["current", "sender"])("does not wait for the route it stands in (%s), which could never stop", (routeId) => {
    const { sink, calls } = setUp(() => new Promise(() => undefined));
    expect(sink(`controlbus:route?routeId=${routeId}&action=stop`).send(exchangeOf())).toBeUndefined();
    expect(calls).toEqual(["stop sender"]);
  });

  it("logs the failure of an action nobody waits for", async () => {
    const { host, sink } = setUp(() => Promise.reject(new Error("gone")));
    expect(sink("controlbus:route?routeId=orders&action=stop&async=true").send(exchangeOf())).toBeUndefined();
    await settle();
    expect(host.log.texts.at(-1)).toBe("stop of route 'orders' failed: gone");
  });

  it("restarts with a pause", async () => {
    const { host, sink, calls } = setUp();
    const sending = sink("controlbus:route?routeId=orders&action=restart&restartDelay=500").send(exchangeOf());
    await host.clock.advance(499);
    expect(calls).toEqual(["stop orders"]);
    await host.clock.advance(1);
    await sending;
    expect(calls).toEqual(["stop orders", "start orders"]);
  });

  it("refuses what it cannot do when the flow is built, and everything without a control", async () => {
    const { sink } = setUp();
    expect(() => sink("controlbus:route?routeId=a&action=stats")).toThrow(/not supported/);
    const refused = connectorUnderTest(controlbusConnector(noControl), new FakeHost()).sink("controlbus:route?routeId=a&action=start");
    expect((await failureOf(() => refused.send(exchangeOf()))).code).toBe("control-refused");
  });
});
