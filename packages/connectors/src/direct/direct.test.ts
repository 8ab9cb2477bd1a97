import { FlowError, type Exchange } from "@sluice/engine/spi";
import { connectorUnderTest, exchangeOf, failureOf, FakeHost, FakeRouteInput } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { direct } from "./direct.ts";

function setUp() {
  const host = new FakeHost();
  return { host, ...connectorUnderTest(direct, host) };
}

const setBody = (text: string) => (exchange: Exchange) => void (exchange.message.body = text);

describe("direct", () => {
  it("runs the called route on the same exchange, synchronously when the route is synchronous", () => {
    const { source, sink } = setUp();
    const routeInput = new FakeRouteInput(setBody("done"));
    void source("direct:a").start(routeInput);
    const exchange = exchangeOf("x");
    expect(sink("direct:a").send(exchange)).toBeUndefined();
    expect(routeInput.exchanges).toEqual([exchange]);
    expect(routeInput.triggers).toEqual([{ uri: "direct:a" }]);
    expect(exchange.message.body).toBe("done");
  });

  it("rethrows the failure of the called route, even a synchronous one", () => {
    const { source, sink } = setUp();
    const failure = new FlowError("java.io.IOException", "no");
    void source("direct:a").start(
      new FakeRouteInput(() => {
        throw failure;
      }),
    );
    expect(() => sink("direct:a").send(exchangeOf())).toThrow(failure);
  });

  it("switches to a new version immediately, unaffected by the stop of the old one", () => {
    const { source, sink } = setUp();
    const send = sink("direct:a").send;
    const [old, replacement] = [source("direct:a"), source("direct:a")];
    void old.start(new FakeRouteInput(setBody("old")));
    void replacement.start(new FakeRouteInput(setBody("new")));
    const duringSwitch = exchangeOf();
    void send(duringSwitch);
    void old.stop();
    const afterSwitch = exchangeOf();
    void send(afterSwitch);
    expect([duringSwitch.message.body, afterSwitch.message.body]).toEqual(["new", "new"]);
  });

  it("switches back to the old version when the new one stops", () => {
    const { source, sink } = setUp();
    const [old, replacement] = [source("direct:a"), source("direct:a")];
    void old.start(new FakeRouteInput(setBody("old")));
    void replacement.start(new FakeRouteInput(setBody("new")));
    void replacement.stop();
    const exchange = exchangeOf();
    void sink("direct:a").send(exchange);
    expect(exchange.message.body).toBe("old");
  });

  it("calls with the endpoint's pattern and restores the pattern of the exchange", async () => {
    const { source, sink } = setUp();
    const seen: string[] = [];
    void source("direct:a?exchangePattern=InOut").start(
      new FakeRouteInput((exchange) => {
        seen.push(exchange.pattern);
        if (exchange.message.body === "fails") throw new FlowError("java.io.IOException", "no");
        return exchange.message.body === "waits" ? Promise.resolve() : undefined;
      }),
    );
    const { send } = sink("direct:a?exchangePattern=InOnly");
    for (const content of ["now", "waits", "fails"]) {
      const exchange = exchangeOf(content);
      exchange.pattern = "InOut";
      await Promise.resolve()
        .then(() => send(exchange))
        .catch(() => undefined);
      expect(exchange.pattern).toBe("InOut");
    }
    expect(seen).toEqual(["InOnly", "InOnly", "InOnly"]);
  });

  it("claims its name, so that two routes cannot use it", () => {
    expect(setUp().source("direct:a").claims).toEqual(["direct:a"]);
  });

  it("fails immediately without a consumer when block is false", async () => {
    const { sink } = setUp();
    const failure = await failureOf(() => sink("direct:none?block=false").send(exchangeOf()));
    expect(failure.type).toBe("org.apache.camel.component.direct.DirectConsumerNotAvailableException");
    expect(failure.message).toBe("No consumers available on endpoint: direct://none");
  });

  it("continues silently when failIfNoConsumers is false", () => {
    expect(setUp().sink("direct:none?failIfNoConsumers=false").send(exchangeOf())).toBeUndefined();
  });

  it("waits for a consumer and then calls it", async () => {
    const { host, source, sink } = setUp();
    const exchange = exchangeOf();
    const sending = sink("direct:missing").send(exchange);
    await host.clock.advance(29_000);
    void source("direct:missing").start(new FakeRouteInput(setBody("done")));
    await sending;
    expect(exchange.message.body).toBe("done");
    expect(host.clock.pending).toBe(0);
  });

  it("fails after the timeout and leaves no timers", async () => {
    const { host, sink } = setUp();
    const failing = failureOf(() => sink("direct:missing?timeout=300").send(exchangeOf()));
    await host.clock.advance(299);
    expect(host.clock.pending).toBe(1);
    await host.clock.advance(1);
    expect((await failing).message).toContain("No consumers available");
    expect(host.clock.pending).toBe(0);
  });

  it("stops waiting when the run is cancelled", async () => {
    const { host, sink } = setUp();
    const exchange = exchangeOf();
    const reason = new FlowError("java.util.concurrent.TimeoutException", "deadline");
    const failing = failureOf(() => sink("direct:missing").send(exchange));
    exchange.run.cancel(reason);
    expect(await failing).toBe(reason);
    expect(host.clock.pending).toBe(0);
  });

  it("does not wait in a test session that skips time", async () => {
    const { sink } = setUp();
    const exchange = exchangeOf(null, {}, { session: { id: "s", skipTime: true } });
    expect((await failureOf(() => sink("direct:missing").send(exchange))).code).toBe("direct-no-consumer");
  });
});
