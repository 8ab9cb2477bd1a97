// Knative delivers events as HTTP requests: here they come from the test, in the binary mode of CloudEvents.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, startTestServer, type StartedServer } from "./started-server.ts";

describe("a flow that receives events", () => {
  let runtime: StartedServer;
  beforeAll(async () => {
    runtime = await startTestServer();
  });
  afterAll(() => runtime.end());

  const deliver = (path: string, body: string): Promise<Response> =>
    fetch(`${runtime.baseUrl}${path}`, {
      method: "POST",
      headers: { "ce-id": "e1", "ce-type": "word", "ce-source": "/test", "ce-specversion": "1.0", "content-type": "text/plain" },
      body,
    });

  it("replies with the result of the route", async () => {
    const steps = `[{setBody: {simple: "\${header.CamelCloudEventType}: \${body}"}}]`;
    expect((await runtime.putFlow("words", `- route: {id: words, from: {uri: "knative:channel/words", steps: ${steps}}}`)).status).toBe(201);
    const response = await deliver("/channels/words", "one");
    expect([response.status, await response.text()]).toEqual([200, "word: one"]);
  });

  it("counts the messages of a durable route", async () => {
    const flow = `- route: {id: stored, from: {uri: "knative:event/order.placed?durable=true", steps: [{log: "\${body}"}]}}`;
    expect((await runtime.putFlow("stored", flow)).status).toBe(201);
    expect((await deliver("/events/order.placed", "one")).status).toBe(202);
    await eventually(async () => (await runtime.api("GET", "/metrics")).text.includes('sluice_source_messages_total{scheme="knative",outcome="done"} 1'));
  });
});
