import { bindEndpoint } from "@sluice/model";
import { describe, expect, it } from "vitest";
import { amqpConnector } from "../amqp/amqp.ts";
import { natsConnector } from "../nats/nats.ts";
import { pahoConnector, pahoMqtt5Connector } from "../paho/paho.ts";
import { jsonMapOf } from "./connection-options.ts";

const connectors = { amqp: amqpConnector(), nats: natsConnector(), paho: pahoConnector(), "paho-mqtt5": pahoMqtt5Connector() };

function source(uri: keyof typeof connectors, option: string, value: string): unknown {
  const connector = connectors[uri];
  const parameters = { [uri === "amqp" ? "destinationName" : "topic"]: "t", [option]: value };
  const { values, problems } = bindEndpoint({ uri, parameters }, connector as never);
  expect(problems).toEqual([]);
  const scope = { connection: () => ({}) };
  return connector.connect({} as never, {} as never).source?.({ uri: `${uri}:t`, scheme: uri, options: values, extra: {} } as never, scope as never);
}

describe("unsupported option values", () => {
  it.each([
    ["nats", "manualAck"],
    ["paho", "manualAcksEnabled"],
    ["paho-mqtt5", "manualAcksEnabled"],
    ["amqp", "transferException"],
  ] as const)("%s rejects %s=true with the reason", (scheme, option) => {
    expect(() => source(scheme, option, "true")).toThrow(new RegExp(`^${option}=true is not supported: .+`));
  });

  it("rejects WebSocket headers that are not a JSON object", () => {
    expect(() => source("paho", "customWebSocketHeaders", "Authorization=x")).toThrow("option 'customWebSocketHeaders' is not a JSON object");
  });
});

describe("a map written as JSON", () => {
  it("has text as values", () => {
    expect(jsonMapOf("args", '{"a":"x","b":1,"c":true}')).toEqual({ a: "x", b: "1", c: "true" });
    expect(jsonMapOf("args", undefined)).toEqual({});
  });

  it.each(["x", "[]", "null", "1", '{"a":{}}', '{"a":null}'])("rejects %s", (json) => {
    expect(() => jsonMapOf("args", json)).toThrow("option 'args' is not a JSON object");
  });
});
