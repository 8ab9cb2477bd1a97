import { FakeHost, exchangeOf, flow } from "@sluice/testkit";
import type { Awaitable, Compiler, Exchange, Format } from "@sluice/engine/spi";
import { documentStart } from "@sluice/model";
import { describe, expect, test } from "vitest";
import { unmarshal } from "../unmarshal/unmarshal.ts";
import { marshal } from "./marshal.ts";

const upper: Format = {
  marshal(body, exchange) {
    exchange.message.headers.set("Content-Type", "text/upper");
    return String(body).toUpperCase();
  },
  unmarshal: (body) => String(body).toLowerCase(),
};
const slow: Format = { marshal: (body) => Promise.resolve(`slow ${String(body)}`), unmarshal: () => Promise.reject(new Error("late")) };
const compiler = { host: new FakeHost(), registry: { format: (node: { name: string }) => (node.name === "slow" ? slow : upper) } } as unknown as Compiler;
const node = { id: "m1", name: "marshal", options: {}, span: documentStart };
const format = (name = "upper") => ({ name, options: {}, span: documentStart });

const run = (step: typeof marshal | typeof unmarshal, options: object, exchange: Exchange): Awaitable =>
  step.compile({ format: format(), ...options } as never, compiler, node)(exchange);

describe("marshal", () => {
  test("replaces the body synchronously when the format is synchronous", () => {
    const exchange = exchangeOf("a");
    expect(run(marshal, {}, exchange)).toBeUndefined();
    expect(exchange.message.body).toBe("A");
    expect(exchange.message.headers.get("Content-Type")).toBe("text/upper");
  });

  test("awaits an asynchronous format", async () => {
    const exchange = exchangeOf("a");
    await run(marshal, { format: format("slow") }, exchange);
    expect(exchange.message.body).toBe("slow a");
  });

  test("variableSend is converted instead of the body, variableReceive stores the result and keeps the message", () => {
    const exchange = exchangeOf("untouched");
    exchange.setVariable("doc", "x");
    void run(marshal, { variableSend: "doc", variableReceive: "text" }, exchange);
    expect(exchange.message.body).toBe("untouched");
    expect(exchange.message.headers.has("Content-Type")).toBe(false);
    expect(exchange.variable("text")).toBe("X");
    expect(exchange.variable("header:text.Content-Type")).toBe("text/upper");
  });

  test("variableSend alone sets the body to the result", () => {
    const exchange = exchangeOf("old");
    exchange.setVariable("doc", "x");
    void run(marshal, { variableSend: "doc" }, exchange);
    expect(exchange.message.body).toBe("X");
  });
});

describe("unmarshal", () => {
  test("a missing body fails, unless allowed", () => {
    expect(() => run(unmarshal, { allowNullBody: false }, exchangeOf(null))).toThrowError(
      expect.objectContaining({ code: "unmarshal-empty", type: "org.apache.camel.InvalidPayloadException" }),
    );
    const exchange = exchangeOf(null);
    void run(unmarshal, { allowNullBody: true }, exchange);
    expect(exchange.message.body).toBeNull();
  });

  test("a failure leaves message and variables unchanged", async () => {
    const exchange = exchangeOf("A");
    const { message } = exchange;
    await expect(run(unmarshal, { allowNullBody: false, format: format("slow"), variableReceive: "v" }, exchange)).rejects.toThrow("late");
    expect(exchange.message).toBe(message);
    expect(exchange.variable("v")).toBeUndefined();
  });
});

test("a format with a main option accepts its value as plain text", async () => {
  const named = await flow(`
- dataFormats: [{json: {id: neat, prettyPrint: true}}]
- from: {uri: "direct:start", steps: [{marshal: {custom: neat}}]}
`);
  expect(String((await named({ body: { a: 1 } })).body)).toContain("\n");
  const delimited = await flow('- unmarshal: {csv: ";"}');
  expect((await delimited({ body: "a;b\n" })).body).toEqual([["a", "b"]]);
});
