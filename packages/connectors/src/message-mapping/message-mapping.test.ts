import { connectorUnderTest, exchangeOf, FakeHost } from "@sluice/testkit";
import { expect, it } from "vitest";
import { messageMappingConnector, type MessageMappingPort } from "./message-mapping.ts";

const sinkWith = (port: MessageMappingPort, uri: string) => connectorUnderTest(messageMappingConnector(port), new FakeHost()).sink(uri);

it("passes body, headers and parameters to the document and uses its output and content type", () => {
  const inputs: unknown[] = [];
  const port: MessageMappingPort = {
    find: (id) => ({
      error: undefined,
      mapping: {
        contentType: "application/xml",
        run({ body, headers, params }) {
          inputs.push([id, body, headers.get("h"), params]);
          return { output: "<a/>", errors: [] };
        },
        runIncrementally: () => expect.fail("a short body is mapped at once"),
      },
    }),
  };
  const exchange = exchangeOf({ a: 1 }, { h: "x" });
  expect(sinkWith(port, "message-mapping:order?plant=1000").send(exchange)).toBeUndefined();
  expect(inputs).toEqual([["order", { a: 1 }, "x", { plant: "1000" }]]);
  expect([exchange.message.body, exchange.message.headers.get("content-type")]).toEqual(["<a/>", "application/xml"]);
});

it("fails with the errors of the fields and keeps the body", () => {
  const errors = [
    { message: "a: one", code: "lookup", field: "a" },
    { message: "b: two", code: "type", field: "b" },
  ];
  const port: MessageMappingPort = {
    find: () => ({
      error: undefined,
      mapping: { contentType: "", run: () => ({ output: undefined, errors }), runIncrementally: () => expect.fail("a short body is mapped at once") },
    }),
  };
  const exchange = exchangeOf("in");
  expect(() => sinkWith(port, "message-mapping:m").send(exchange)).toThrow(expect.objectContaining({ message: "a: one; b: two", code: "mapping-failed" }));
  expect(exchange.message.body).toBe("in");
});

it.each([
  [undefined, "message mapping 'm' not found"],
  [{ error: "unknown message mapping 'parts'", mapping: undefined }, "message mapping 'm': unknown message mapping 'parts'"],
])("fails with the id of a missing or invalid document", (found, message) => {
  expect(() => sinkWith({ find: () => found }, "message-mapping:m").send(exchangeOf("in"))).toThrow(message);
});

it("maps a long body incrementally", async () => {
  const port: MessageMappingPort = {
    find: () => ({
      error: undefined,
      mapping: {
        contentType: "text/plain",
        run: () => expect.fail("a long body is mapped incrementally"),
        *runIncrementally({ body }) {
          yield undefined;
          return { output: (body as string).length, errors: [] };
        },
      },
    }),
  };
  const exchange = exchangeOf("x".repeat(300_000));
  await sinkWith(port, "message-mapping:m").send(exchange);
  expect(exchange.message.body).toBe(300_000);
});
