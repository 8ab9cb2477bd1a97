import { FlowError } from "@sluice/engine/spi";
import { connectorUnderTest, exchangeOf, FakeHost } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { log } from "./log.ts";

function logged(
  uri: string,
  exchange = exchangeOf(
    "hello",
    { Authorization: "Bearer abc", plain: 1 },
    {
      properties: new Map<string, unknown>([
        ["mine", 1],
        ["CamelX", 2],
      ]),
      variables: new Map([["v", "w"]]),
    },
  ),
) {
  const host = new FakeHost();
  expect(connectorUnderTest(log, host).sink(uri).send(exchange)).toBeUndefined();
  return host.log.records;
}

describe("log", () => {
  it("logs type and body at INFO under its logger name", () => {
    const [record] = logged("log:orders");
    expect([record?.level, record?.logger, record?.text]).toEqual(["INFO", "orders", "Exchange[BodyType: String, Body: hello]"]);
    expect(record?.exchange?.message.body).toBe("hello");
  });

  it.each([
    ["showHeaders=true&showBody=false&showBodyType=false", "Exchange[Headers: {Authorization=xxxxxx, plain=1}]"],
    ["showProperties=true&showBodyType=false", "Exchange[Properties: {mine=1}, Body: hello]"],
    ["showAllProperties=true&showBody=false&showBodyType=false", "Exchange[Properties: {mine=1, CamelX=2}]"],
    ["showVariables=true&showBody=false&showBodyType=false", "Exchange[Variables: {v=w}]"],
    ["showExchangePattern=true&showBodyType=false", "Exchange[ExchangePattern: InOnly, Body: hello]"],
    ["plain=true", "hello"],
    ["multiline=true", "Exchange[\n  BodyType: String\n  Body: hello\n]"],
    ["plain=true&maxChars=2", "he..."],
    ["showHeaders=true&logMask=false&showBody=false&showBodyType=false", "Exchange[Headers: {Authorization=Bearer abc, plain=1}]"],
  ])("formats the exchange with %s", (options, text) => {
    expect(logged(`log:a?${options}`)[0]?.text).toBe(text);
  });

  it.each(["plain=true&", "showBodyType=false&"])("masks a secret before it truncates the text (%s)", (options) => {
    const host = Object.assign(new FakeHost(), { mask: (text: string) => text.replaceAll("top-secret", "***") });
    for (const body of ["say top-secret now", new TextEncoder().encode("say top-secret now")])
      for (let maxChars = 1; maxChars < 40; maxChars++) void connectorUnderTest(log, host).sink(`log:a?${options}maxChars=${maxChars}`).send(exchangeOf(body));
    expect(host.log.texts.filter((text) => text.endsWith("...") && text.includes("top"))).toEqual([]);
  });

  it("masks credentials when everything is shown", () => {
    const exchange = exchangeOf("b", { Cookie: "s=1", "x-api-key": "k", my_password: "p", "Set-Cookie": "c" });
    exchange.caught = new FlowError("java.io.IOException", "gone");
    const text = logged("log:a?showAll=true", exchange)[0]?.text ?? "";
    expect(text).toContain("{Cookie=xxxxxx, x-api-key=xxxxxx, my_password=xxxxxx, Set-Cookie=xxxxxx}");
    expect(text).toContain("ExceptionMessage: gone");
  });

  it.each([
    [null, "Exchange[BodyType: null, Body: [Body is null]]"],
    [new TextEncoder().encode("bytes"), "Exchange[BodyType: byte[], Body: bytes]"],
    [[1, 2], "Exchange[BodyType: List, Body: [1,2]]"],
    ["one\r\ntwo", "Exchange[BodyType: String, Body: one two]"],
    [
      (async function* () {
        yield 1;
      })(),
      "Exchange[BodyType: InputStream, Body: [Body is a stream]]",
    ],
  ])("logs a body of any type: %j", (body, text) => {
    expect(logged("log:a", exchangeOf(body))[0]?.text).toBe(text);
  });

  it("formats nothing for a disabled level, and writes nothing when OFF", () => {
    const host = new FakeHost();
    host.log.level = "WARN";
    const body = {
      toJSON: () => {
        throw new Error("must not be read");
      },
    };
    void connectorUnderTest(log, host).sink("log:a?level=DEBUG").send(exchangeOf(body));
    void connectorUnderTest(log, host).sink("log:a?level=OFF").send(exchangeOf(body));
    expect(host.log.records).toEqual([]);
  });

  it("stores a marker with the record", () => {
    expect(logged("log:a?marker=audit")[0]?.fields).toEqual({ marker: "audit" });
  });

  it("summarizes groups of groupSize messages", async () => {
    const host = new FakeHost();
    const { send } = connectorUnderTest(log, host).sink("log:a?groupSize=2");
    for (let i = 0; i < 5; i++) {
      void send(exchangeOf());
      await host.clock.advance(100);
    }
    expect(host.log.texts).toEqual([
      "Received: 2 new messages, with total 2 so far. Last group took: 100 millis which is: 20.000 messages per second. average: 20.000",
      "Received: 2 new messages, with total 4 so far. Last group took: 200 millis which is: 10.000 messages per second. average: 13.333",
    ]);
  });

  it("summarizes intervals, starts no timer before start and leaves none after stop", async () => {
    const host = new FakeHost();
    const sink = connectorUnderTest(log, host).sink("log:a?groupInterval=1s");
    expect(host.clock.pending).toBe(0);
    await sink.start?.();
    void sink.send(exchangeOf());
    await host.clock.advance(2500);
    expect(host.log.texts.length).toBe(1);
    await sink.stop?.();
    expect(host.clock.pending).toBe(0);
  });
});
