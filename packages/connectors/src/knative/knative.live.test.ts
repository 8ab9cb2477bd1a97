import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Message } from "@sluice/engine/spi";
import { connectorSuite, connectorUnderTest, exchangeOf, failureOf, FakeHost, FakeRouteInput, realTimeHost } from "@sluice/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { readCloudEvent } from "./cloud-event.ts";
import { knativeConnector } from "./knative.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly path: string | undefined;
  readonly body: string;
}

/** A channel that records its requests and responds with this status. */
async function channel(status: number, content = ""): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      received.push({ headers: request.headers, path: request.url, body });
      response.writeHead(status, { "set-cookie": "sid=1", "x-why": "busy" }).end(content);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?x=1`, received };
}

const knative = () => connectorUnderTest(knativeConnector({}), realTimeHost());

describe("knative passes the connector suite", () => {
  for (const { name, run } of connectorSuite(knativeConnector({}), { uri: "knative:channel/words" })) it(name, run);
});

describe("sending", () => {
  it("converts the message to an event", async () => {
    const { url, received } = await channel(202);
    const exchange = exchangeOf({ a: 1 });
    await knative()
      .sink(`knative:event/order.placed?url=${encodeURIComponent(url)}`)
      .send(exchange);
    expect(received).toMatchObject([{ path: "/in?x=1", body: '{"a":1}' }]);
    const headers = received[0]?.headers ?? {};
    expect([headers["ce-type"], headers["ce-specversion"], headers["ce-id"], headers["content-type"]]).toEqual([
      "order.placed",
      "1.0",
      exchange.id,
      "application/json",
    ]);
    expect(Date.parse(String(headers["ce-time"]))).toBeGreaterThan(0);
    expect(exchange.message.headers.get("CamelHttpResponseCode")).toBe(202);
  });

  it("uses the attributes that the route sets", async () => {
    const { url, received } = await channel(200, "done");
    const exchange = exchangeOf("x", { CamelCloudEventType: "own", CamelCloudEventSubject: "s", CamelCloudEventDataContentType: "text/csv" });
    await knative()
      .sink(`knative:channel/words?url=${encodeURIComponent(url)}`)
      .send(exchange);
    expect(received[0]?.headers).toMatchObject({ "ce-type": "own", "ce-subject": "s", "content-type": "text/csv" });
    expect(new TextDecoder().decode(exchange.message.body as Uint8Array)).toBe("done");
  });

  it("fails with the status of the channel, and keeps its cookies out of the failure", async () => {
    const { url } = await channel(503, "full");
    const sink = knative().sink(`knative:channel/words?url=${encodeURIComponent(url)}`);
    const { message, details } = await failureOf(() => sink.send(exchangeOf("x")));
    expect(message).toMatch(/503/);
    expect(details).toMatchObject({ responseBody: "full", responseHeaders: { "x-why": "busy" } });
    expect(details?.["responseHeaders"]).not.toHaveProperty("set-cookie");
  });

  it.each([
    ["knative:channel", /needs a name/],
    ["knative:channel/Words", /not a valid Kubernetes resource name/],
    ["knative:endpoint/a?namespace=b.c", /not a valid Kubernetes resource name/],
    ["knative:channel/words?url=ftp:x", /not an http or https address/],
    ["knative:topic/words", /channel, endpoint, event/],
  ])("rejects %s", (uri, message) => {
    expect(() => knative().sink(uri)).toThrow(message);
  });
});

describe("receiving", () => {
  it.each([
    ["knative:channel/words", "POST /channels/words"],
    ["knative:event/order.placed", "POST /events/order.placed"],
    ["knative:event", "POST /events"],
    ["knative:endpoint/front", "POST /endpoints/front"],
  ])("%s has the path %s", (uri, claim) => {
    expect(knative().source(uri).claims).toContain(claim);
  });

  it("serves its path from start to stop", async () => {
    const host = new FakeHost();
    const source = connectorUnderTest(knativeConnector({}), host).source("knative:channel/words");
    await source.start(new FakeRouteInput());
    expect(host.http.mounts.map(({ path }) => path)).toContain("/channels/words");
    await source.stop();
    expect(host.http.mounts).toEqual([]);
  });

  it("reads binary and structured events", () => {
    const binary = new Message("data");
    for (const [name, value] of [
      ["ce-id", "1"],
      ["ce-type", "t"],
      ["Content-Type", "text/plain"],
    ] as const)
      binary.headers.set(name, value);
    readCloudEvent(binary);
    expect(["CamelCloudEventID", "CamelCloudEventType", "CamelCloudEventDataContentType"].map((name) => binary.headers.get(name))).toEqual([
      "1",
      "t",
      "text/plain",
    ]);
    const structured = new Message('{"id":"2","type":"t","source":"/s","data":{"a":1}}');
    structured.headers.set("Content-Type", "application/cloudevents+json; charset=utf-8");
    readCloudEvent(structured);
    expect([structured.body, structured.headers.get("CamelCloudEventSource"), structured.headers.get("Content-Type")]).toEqual([
      { a: 1 },
      "/s",
      "application/json",
    ]);
    const broken = new Message("[");
    broken.headers.set("Content-Type", "application/cloudevents+json");
    readCloudEvent(broken);
    expect(broken.body).toBe("[");
  });
});
