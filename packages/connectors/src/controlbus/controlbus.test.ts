import { FlowError } from "@sluice/engine/spi";
import { connectorUnderTest, exchangeOf, failureOf, FakeHost, settle } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { controlbusConnector, noControl, type RouteControl } from "./controlbus.ts";

function setUp(act: RouteControl["act"] = async () => "Started") {
  const host = new FakeHost();
  const calls: string[] = [];
  const control: RouteControl = {
    act(routeId, action) {
      calls.push(`${action} ${routeId}`);
      return act(routeId, action);
    },
  };
  return { host, calls, sink: connectorUnderTest(controlbusConnector(control), host).sink };
}

describe("controlbus", () => {
  it("sets the body to the status", async () => {
    const { sink } = setUp();
    const exchange = exchangeOf("x");
    await sink("controlbus:route?routeId=orders&action=status").send(exchange);
    expect(exchange.message.body).toBe("Started");
  });

  it("executes an action and keeps the body", async () => {
    const { sink, calls } = setUp();
    const exchange = exchangeOf("x");
    await sink("controlbus:route?routeId=orders&action=suspend").send(exchange);
    expect([calls, exchange.message.body]).toEqual([["suspend orders"], "x"]);
  });

  it("fails with the error of the action", async () => {
    const failure = new FlowError("java.lang.IllegalArgumentException", "no route 'x'");
    const { sink } = setUp(() => Promise.reject(failure));
    expect(await failureOf(() => sink("controlbus:route?routeId=x&action=start").send(exchangeOf()))).toBe(failure);
  });

  it.each(["current", "sender"])("does not wait when it stops its own route (%s), which would deadlock", (routeId) => {
    const { sink, calls } = setUp(() => new Promise(() => undefined));
    expect(sink(`controlbus:route?routeId=${routeId}&action=stop`).send(exchangeOf())).toBeUndefined();
    expect(calls).toEqual(["stop sender"]);
  });

  it("logs the failure of an asynchronous action", async () => {
    const { host, sink } = setUp(() => Promise.reject(new Error("gone")));
    expect(sink("controlbus:route?routeId=orders&action=stop&async=true").send(exchangeOf())).toBeUndefined();
    await settle();
    expect(host.log.texts.at(-1)).toBe("Action 'stop' on route 'orders' failed: gone");
  });

  it("waits restartDelay before it restarts a route", async () => {
    const { host, sink, calls } = setUp();
    const sending = sink("controlbus:route?routeId=orders&action=restart&restartDelay=500").send(exchangeOf());
    await host.clock.advance(499);
    expect(calls).toEqual(["stop orders"]);
    await host.clock.advance(1);
    await sending;
    expect(calls).toEqual(["stop orders", "start orders"]);
  });

  it("rejects unsupported actions at deploy time, and all actions without a control interface", async () => {
    const { sink } = setUp();
    expect(() => sink("controlbus:route?routeId=a&action=stats")).toThrow(/not supported/);
    const refused = connectorUnderTest(controlbusConnector(noControl), new FakeHost()).sink("controlbus:route?routeId=a&action=start");
    expect((await failureOf(() => refused.send(exchangeOf()))).code).toBe("control-refused");
  });
});
