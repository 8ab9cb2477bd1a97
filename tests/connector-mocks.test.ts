// Every connector to another system can be mocked: a route that starts from it and sends to it is tested on a runtime and in the designer's
// simulation, without its server.
import { connectorIndex } from "@sluice/connectors";
import { httpTransport } from "@sluice/flow-tests";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runtimeConnectorsOf } from "../packages/designer/src/simulation/runtime-connectors.ts";
import { runTestFile } from "../packages/designer/src/simulation/run-test-file.ts";
import { simulateTests } from "../packages/designer/src/simulation/simulate-tests.ts";
import { startTestServer, token, type StartedServer } from "./started-server.ts";

/** Nothing listens on this port. */
const nowhere = { host: "127.0.0.1", port: 1 };
const connections: Readonly<Record<string, { readonly type: string; readonly values: object }>> = {
  sql: { type: "postgres", values: nowhere },
  redis: { type: "redis", values: nowhere },
  amqp: { type: "amqp", values: { url: "amqp://127.0.0.1:1" } },
  rabbitmq: { type: "rabbitmq", values: nowhere },
  kafka: { type: "kafka", values: { brokers: "127.0.0.1:1" } },
  mqtt: { type: "mqtt", values: { brokerUrl: "tcp://127.0.0.1:1" } },
  nats: { type: "nats", values: { servers: "127.0.0.1:1" } },
};

interface Endpoints {
  readonly from?: string;
  readonly to: string;
}
const endpoints: Readonly<Record<string, Endpoints>> = {
  amqp: { from: "amqp:in", to: "amqp:out" },
  jdbc: { to: "jdbc:sql" },
  kafka: { from: "kafka:in", to: "kafka:out" },
  knative: { from: "knative:channel/in", to: "knative:channel/out" },
  nats: { from: "nats:in", to: "nats:out" },
  paho: { from: "paho:in", to: "paho:out" },
  "paho-mqtt5": { from: "paho-mqtt5:in", to: "paho-mqtt5:out" },
  pgevent: { from: "pgevent:127.0.0.1:1/shop/in", to: "pgevent:127.0.0.1:1/shop/out" },
  "spring-rabbitmq": { from: "spring-rabbitmq:in?queues=in", to: "spring-rabbitmq:out" },
  "spring-redis": { from: "spring-redis:127.0.0.1:1?command=SUBSCRIBE&channels=in", to: "spring-redis:127.0.0.1:1?command=SET" },
  sql: { from: "sql:select 1 as one", to: "sql:select 2 as two" },
  "sql-stored": { to: "sql-stored:add(INTEGER ${body})" },
};

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
  for (const [id, document] of Object.entries(connections)) {
    const { status, text } = await server.api("PUT", `/connections/${id}?force=true`, document);
    expect([id, status, text]).toEqual([id, 201, expect.any(String)]);
  }
});
afterAll(() => server.end());

it("has endpoints for every connector", () => {
  expect(Object.keys(endpoints).toSorted()).toEqual(connectorIndex.map(({ scheme }) => scheme).toSorted());
  for (const { scheme, roles } of connectorIndex) expect([scheme, endpoints[scheme]?.from !== undefined]).toEqual([scheme, roles.includes("source")]);
});

it.each(Object.entries(endpoints))("%s can be mocked", async (scheme, { from = `direct:${scheme}`, to }) => {
  const flow = JSON.stringify([
    { route: { id: scheme, from: { uri: from, steps: [{ to: { id: "send", uri: to } }, { setHeader: { name: "after", constant: "yes" } }] } } },
  ]);
  const test = {
    name: scheme,
    mocks: [{ id: "sent", match: { stepId: "send" }, respond: { body: "mocked" } }],
    when: { route: scheme, body: "message" },
    then: [{ status: "completed" }, { reply: { body: "mocked" } }, { mockCalled: { mock: "sent", times: 1, with: { body: "message" } } }],
  };
  const file = { id: scheme, text: JSON.stringify({ flowId: scheme, tests: [test] }) };
  const { status, text } = await server.putFlow(scheme, flow);
  expect([status, text]).toEqual([201, expect.any(String)]);
  const onRuntime = await runTestFile(httpTransport(server.baseUrl, token), file);
  const runtimeConnectors = runtimeConnectorsOf((await server.api("GET", "/catalog?full=true")).json);
  const [simulated] = await simulateTests({ flowId: scheme, source: flow, files: [file], runtimeConnectors });
  for (const result of [onRuntime, simulated]) expect([result?.problems, result?.tests.map(({ failures }) => failures)]).toEqual([[], [[]]]);
});
