import { FlowError, type Exchange } from "@sluice/engine/spi";
import { connectorUnderTest, exchangeOf, failureOf, FakeHost, FakeInlet } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { direct } from "./direct.ts";

function setUp() {
  const host = new FakeHost();
  return { host, ...connectorUnderTest(direct, host) };
}

const body = (text: string) => (exchange: Exchange) => void (exchange.message.body = text);

describe("direct", () => {
  it("runs the called route on the same exchange, without a promise when the route needs none", () => {
    const { source, sink } = setUp();
    const inlet = new FakeInlet(body("done"));
    void source("direct:a").start(inlet);
    const exchange = exchangeOf("x");
    expect(sink("direct:a").send(exchange)).toBeUndefined();
    expect(inlet.exchanges).toEqual([exchange]);
    expect(inlet.triggers).toEqual([{ uri: "direct:a" }]);
    expect(exchange.message.body).toBe("done");
  });

  it("passes on what the called route fails with, also when it is synchronous", () => {
    const { source, sink } = setUp();
    const failure = new FlowError("java.io.IOException", "no");
    void source("direct:a").start(
      new FakeInlet(() => {
        throw failure;
      }),
    );
    expect(() => sink("direct:a").send(exchangeOf())).toThrow(failure);
  });

  it("hands over to a new version at once, and the old one's stop does not touch it", () => {
    const { source, sink } = setUp();
    const send = sink("direct:a").send;
    const [old, replacement] = [source("direct:a"), source("direct:a")];
    void old.start(new FakeInlet(body("old")));
    void replacement.start(new FakeInlet(body("new")));
    const during = exchangeOf();
    void send(during);
    void old.stop();
    const after = exchangeOf();
    void send(after);
    expect([during.message.body, after.message.body]).toEqual(["new", "new"]);
  });

  it("is back with the old version when the new one steps back", () => {
    const { source, sink } = setUp();
    const [old, replacement] = [source("direct:a"), source("direct:a")];
    void old.start(new FakeInlet(body("old")));
    void replacement.start(new FakeInlet(body("new")));
    void replacement.stop();
    const exchange = exchangeOf();
    void sink("direct:a").send(exchange);
    expect(exchange.message.body).toBe("old");
  });

  it("claims its name so that two routes cannot hold it", () => {
    expect(setUp().source("direct:a").claims).toEqual(["direct:a"]);
  });

  it("fails at once without a consumer when block is off", async () => {
    const { sink } = setUp();
    const failure = await failureOf(() => sink("direct:none?block=false").send(exchangeOf()));
    expect(failure.type).toBe("org.apache.camel.component.direct.DirectConsumerNotAvailableException");
    expect(failure.message).toBe("No consumers available on endpoint: direct://none");
  });

  it("goes on silently when failIfNoConsumers is off", () => {
    expect(setUp().sink("direct:none?failIfNoConsumers=false").send(exchangeOf())).toBeUndefined();
  });

  it("waits for a consumer to appear and then calls it", async () => {
    const { host, source, sink } = setUp();
    const exchange = exchangeOf();
    const sending = sink("direct:late").send(exchange);
    await host.clock.advance(29_000);
    void source("direct:late").start(new FakeInlet(body("answered")));
    await sending;
    expect(exchange.message.body).toBe("answered");
    expect(host.clock.pending).toBe(0);
  });

  it("gives up after the timeout and leaves nothing behind", async () => {
    const { host, sink } = setUp();
    const failing = failureOf(() => sink("direct:late?timeout=300").send(exchangeOf()));
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
    const failing = failureOf(() => sink("direct:late").send(exchange));
    exchange.run.cancel(reason);
    expect(await failing).toBe(reason);
    expect(host.clock.pending).toBe(0);
  });

  it("does not wait in a test session that skips time", async () => {
    const { sink } = setUp();
    const exchange = exchangeOf(null, {}, { session: { id: "s", skipTime: true } });
    expect((await failureOf(() => sink("direct:late").send(exchange))).code).toBe("direct-no-consumer");
  });
});
