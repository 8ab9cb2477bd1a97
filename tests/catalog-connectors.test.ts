// Runs every example of every connector on a real server with real timers, files and sockets.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CatalogView, ConnectorView } from "@sluice/model";
import { exampleDocument } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectors } from "@sluice/connectors";
import { call, eventually, startTestServer, type StartedServer } from "./started-server.ts";

interface ShownExample {
  readonly title: string;
  readonly yaml: string;
  readonly given?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, unknown>> };
  readonly expect: { readonly body?: unknown; readonly headers?: Readonly<Record<string, unknown>> };
}

/** The documents that the examples of the mapping connectors use. */
const installed = {
  "/value-mappings/countries": {
    columns: ["name", "code"],
    rows: [
      ["Italy", "IT"],
      ["France", "FR"],
    ],
  },
  "/message-mappings/order-to-invoice": {
    source: { format: "json" },
    target: { format: "json" },
    map: [
      { to: "invoice.order", from: "orderNo" },
      { to: "invoice.amount", from: "total" },
    ],
  },
};

let server: StartedServer;
let catalog: CatalogView;
const directory = mkdtempSync(join(tmpdir(), "sluice-example-"));
const functionsDirectory = mkdtempSync(join(tmpdir(), "sluice-functions-"));
beforeAll(async () => {
  const functions = join(functionsDirectory, "functions.mjs");
  writeFileSync(functions, "export const prices = { total: ({ message }) => message.body.reduce((sum, price) => sum + price, 0) };\n");
  server = await startTestServer({ env: { SERVICE_FUNCTIONS: functions } });
  catalog = (await server.api("GET", "/catalog")).json;
  for (const [path, document] of Object.entries(installed)) expect((await server.api("PUT", path, document)).status).toBe(201);
});
afterAll(async () => {
  await server.end();
  for (const folder of [directory, functionsDirectory]) rmSync(folder, { recursive: true, force: true });
});

const examplesOf = (connector: ConnectorView): readonly ShownExample[] => connector.examples as readonly ShownExample[];

/** Deploys the example, mocks its `mock:` endpoints, sends its message and returns the result. */
async function run(example: ShownExample): Promise<unknown> {
  const yaml = exampleDocument(example.yaml);
  const params = { server: new URL(server.baseUrl).host, directory };
  const put = await server.putFlow("example", yaml, Object.fromEntries(Object.entries(params).filter(([name]) => yaml.includes(`{{${name}}}`))));
  expect([put.status, put.text]).toEqual([expect.toSatisfy((status: number) => status < 300), expect.any(String)]);
  const { sessionId } = (await server.api("POST", "/test/session", { mocks: [{ match: { uri: "mock:*" }, respond: {} }] })).json;
  try {
    if (yaml.includes("uri: direct:start")) {
      const { json } = await server.api("POST", "/test/invoke", {
        sessionId,
        trigger: "direct:start",
        body: example.given?.body,
        headers: example.given?.headers,
      });
      expect(json.error).toBeNull();
      return json.body;
    }
    const { url } = put.json.routes[0];
    if (url !== undefined && url !== null) return (await call(server.baseUrl, "POST", url, example.given?.body as string)).text;
    // Runs before the mocks were activated are not recorded: restart the routes to repeat them.
    for (const { id } of put.json.routes)
      for (const action of ["stop", "start"]) expect((await server.api("POST", `/routes/${id}/${action}`)).status).toBe(200);
    const recorded = async (): Promise<any[]> =>
      (await server.api("GET", `/test/session/${sessionId}`)).json.recordedCalls.filter(({ uri }: any) => uri.startsWith("mock:result"));
    await eventually(async () => (await recorded()).length > 0);
    return (await recorded())[0].request.body;
  } finally {
    await server.api("DELETE", `/test/session/${sessionId}`);
    await server.api("DELETE", "/flows/example");
  }
}

describe.each(connectors.map(({ scheme }) => scheme))("connector %s", (scheme) => {
  it("runs its examples", async () => {
    const connector = catalog.connectors.find((candidate) => candidate.scheme === scheme) as ConnectorView;
    expect(connector.roles.length).toBeGreaterThan(0);
    expect(connector.icon).toMatch(/^[a-z][a-z0-9-]+$/);
    expect(connector.examples.length).toBeGreaterThan(0);
    for (const example of examplesOf(connector)) expect([example.title, await run(example)]).toEqual([example.title, example.expect.body]);
  });
});
