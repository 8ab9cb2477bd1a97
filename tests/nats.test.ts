// Flows that use a real NATS server.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connectionIndex, connectorIndex, loadClient } from "@sluice/connectors";
import { FlowError, type Source } from "@sluice/engine/spi";
import { connectorUnderTest, FakeHost, FakeRouteInput, FaultyLink, realTimeHost, serverFor, testConnections } from "@sluice/testkit";
import {
  expectEventually,
  expectFailedRoute,
  missingOf,
  numberedMessages,
  sometimesFailingSteps,
  startBrokerRuntime,
  uniqueName,
  waitForAllDespiteCuts,
  type BrokerRuntime,
} from "./broker-runtime.ts";

const server = await serverFor("nats");

describe.skipIf(server === undefined)("nats (needs NATS)", () => {
  const { port = 0 } = server ?? {};
  const servers = `localhost:${port}`;
  let runtime: BrokerRuntime;
  let client: NatsConnection;

  beforeAll(async () => {
    runtime = await startBrokerRuntime();
    client = await connect({ servers: `127.0.0.1:${port}` });
  });
  afterAll(async () => {
    await client.close();
    await runtime.end();
    await server?.end();
  });

  /** All messages that arrive on a subject from now on. */
  const received = async (subject: string): Promise<{ texts: string[]; headers: Record<string, string>[] }> => {
    const found = { texts: [] as string[], headers: [] as Record<string, string>[] };
    client.subscribe(subject, {
      callback: (_error, message) => {
        found.texts.push(message.string());
        found.headers.push(Object.fromEntries((message.headers?.keys() ?? []).map((name) => [name, message.headers?.get(name) ?? ""])));
      },
    });
    await client.flush();
    return found;
  };

  it("moves messages from one subject to another, with their headers", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "nats:${name}.in?servers=${servers}", steps: [{setHeader: {name: subject, simple: "\${header.CamelNatsSubject}"}}, {to: "nats:${name}.out?servers=${servers}"}]}}`,
    );
    const sent = headers();
    sent.set("orderId", "7");
    for (let index = 0; index < 100; index++) client.publish(`${name}.in`, `message ${index}`, { headers: sent });
    await expectEventually(() => out.texts.length, 100);
    expect(out.texts).toEqual(Array.from({ length: 100 }, (_, index) => `message ${index}`));
    expect(out.headers[0]).toMatchObject({ orderId: "7", subject: `${name}.in` });
    expect(Object.keys(out.headers[0] ?? {}).filter((header) => /^camel/i.test(header))).toEqual([]);
  });

  it("replies to requests, and sends requests", async () => {
    const name = uniqueName();
    await runtime.deploy(
      name,
      `
- route: {id: ${name}, from: {uri: "nats:${name}.ask?servers=${servers}&queueName=group", steps: [{setBody: {simple: "re: \${body}"}}]}}
- route: {id: ${name}-call, from: {uri: "direct:${name}", steps: [{to: {uri: "nats:${name}.ask?servers=${servers}&exchangePattern=InOut&requestTimeout=60000"}}, {to: "nats:${name}.answer?servers=${servers}&exchangePattern=InOnly"}]}}
- route: {id: ${name}-in, from: {uri: "nats:${name}.in?servers=${servers}", steps: [{to: "direct:${name}"}]}}`,
    );
    expect((await client.request(`${name}.ask`, "one", { timeout: 60_000 })).string()).toBe("re: one");
    const out = await received(`${name}.answer`);
    client.publish(`${name}.in`, "two");
    await expectEventually(() => out.texts[0], "re: two");
  });

  it("receives maxMessages after each start of the route", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "nats:${name}.in?servers=${servers}&maxMessages=2", steps: [{to: "nats:${name}.out?servers=${servers}"}]}}`,
    );
    const send = (): void => numberedMessages(3).forEach((text) => client.publish(`${name}.in`, text));
    send();
    await expectEventually(() => out.texts.length, 2);
    for (const change of ["stop", "start"]) expect((await runtime.api("POST", `/routes/${name}/${change}`)).status).toBe(200);
    send();
    await expectEventually(() => out.texts.length, 4);
    expect(out.texts).toEqual([...numberedMessages(2), ...numberedMessages(2)]);
  });

  it("dead-letters failed messages of plain subjects unchanged", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "nats:${name}.in?servers=${servers}", steps: [${sometimesFailingSteps}, {to: "nats:${name}.out?servers=${servers}"}]}}`,
    );
    for (const text of numberedMessages(50)) client.publish(`${name}.in`, text);
    await expectEventually(() => out.texts.length, 45);
    await expectEventually(async () => (await runtime.deadLetters()).filter(({ routeId }) => routeId === name).length, 5);
    expect(
      (await runtime.deadLetters())
        .filter(({ routeId }) => routeId === name)
        .map(({ body }) => body)
        .toSorted(),
    ).toEqual([7, 17, 27, 37, 47].map((number) => `message ${number}`).toSorted());
  });

  it("redelivers messages of a stream, then dead-letters them unchanged", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "nats:${name}.in?servers=${servers}&jetstreamEnabled=true&jetstreamName=${name}&nackWait=50&maximumRedeliveries=2", steps: [${sometimesFailingSteps}, {to: "nats:${name}.out?servers=${servers}"}]}}`,
    );
    await expectEventually(() => runtime.routeStatus(name), "Started");
    const stream = jetstream(client);
    for (const text of numberedMessages(50)) await stream.publish(`${name}.in`, text);
    await expectEventually(() => out.texts.length, 45);
    await expectEventually(async () => (await runtime.deadLetters()).filter(({ routeId }) => routeId === name).length, 5);
    const deadLetters = (await runtime.deadLetters()).filter(({ routeId }) => routeId === name);
    expect([deadLetters.map(({ attempts }) => attempts), deadLetters.map(({ body }) => body).toSorted()]).toEqual([
      [3, 3, 3, 3, 3],
      [7, 17, 27, 37, 47].map((number) => `message ${number}`).toSorted(),
    ]);
    const manager = await jetstreamManager(client);
    await expectEventually(async () => (await manager.consumers.info(name, `sluice-${name}-${name}`)).num_ack_pending, 0);
    await manager.streams.delete(name);
  });

  it("acknowledges a message of a stream after its run", async () => {
    const name = uniqueName();
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "nats:${name}.in?servers=${servers}&jetstreamEnabled=true&jetstreamName=${name}&durableName=slow", steps: [{to: "nats:${name}.held?servers=${servers}&exchangePattern=InOut&requestTimeout=60000"}, {to: "nats:${name}.out?servers=${servers}&exchangePattern=InOnly"}]}}`,
    );
    await expectEventually(() => runtime.routeStatus(name), "Started");
    const out = await received(`${name}.out`);
    const held = client.subscribe(`${name}.held`, { max: 1 });
    await client.flush();
    await jetstream(client).publish(`${name}.in`, "slow");
    const manager = await jetstreamManager(client);
    const pending = async () => (await manager.consumers.info(name, "slow")).num_ack_pending;
    for await (const request of held) {
      expect(await pending()).toBe(1);
      request.respond("continue");
    }
    await expectEventually(() => out.texts.join(), "continue");
    await expectEventually(pending, 0);
    await manager.streams.delete(name);
  });

  it("loses no message of a stream when connections are dropped, inbound and outbound", async () => {
    const name = uniqueName();
    const count = 100;
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    const faulty = `localhost:${link.port}`;
    const manager = await jetstreamManager(client);
    await manager.streams.add({ name, subjects: [`${name}.>`] });
    const out = await received(`${name}.out`);
    const stream = jetstream(client);
    for (const text of numberedMessages(count)) await stream.publish(`${name}.in`, text);
    await runtime.deploy(
      name,
      `- route: {id: ${name}, errorHandler: {defaultErrorHandler: {redeliveryPolicy: {maximumRedeliveries: 20, redeliveryDelay: 100}}}, from: {uri: "nats:${name}.in?servers=${faulty}&jetstreamEnabled=true&jetstreamName=${name}&ackWait=2000&nackWait=100&reconnectTimeWait=200", steps: [{to: "nats:${name}.out?servers=${faulty}&jetstreamEnabled=true&requestTimeout=1000"}]}}`,
    );
    await waitForAllDespiteCuts(link, count, () => out.texts);
    const { state } = await manager.streams.info(name, { subjects_filter: `${name}.out` });
    const consumer = await stream.consumers.get(name, { filter_subjects: `${name}.out` });
    const stored: string[] = [];
    for await (const message of await consumer.fetch({ max_messages: state.subjects?.[`${name}.out`] ?? 0, expires: 60_000 })) stored.push(message.string());
    expect(missingOf(count, stored)).toEqual([]);
    await runtime.api("DELETE", `/flows/${name}`);
    await link.close();
    await manager.streams.delete(name);
  });

  /** A source outside a runtime, whose route accepts messages only while it is open. */
  const gated = async (uri: string, host: FakeHost | ReturnType<typeof realTimeHost> = realTimeHost()) => {
    const [connector, type] = [connectorIndex.find(({ scheme }) => scheme === "nats"), connectionIndex.find((entry) => entry.type === "nats")];
    if (connector === undefined || type === undefined) throw new Error("nats is not in the index");
    const connections = testConnections(host, { nats: { declaration: await type.load(), values: { servers } } }, loadClient);
    const source: Source = connectorUnderTest(await connector.load({}), Object.assign(host, { connections })).source(uri);
    const route = { isOpen: false, attempts: 0, offered: new Set<string>(), done: [] as string[] };
    const routeInput = new FakeRouteInput(({ message }) => {
      const text = Buffer.from(message.body as Uint8Array).toString();
      route.attempts++;
      route.offered.add(text);
      if (!route.isOpen) throw new FlowError("java.lang.IllegalStateException", "too many runs", { code: "limit-inflight" });
      route.done.push(text);
    });
    return { source, route, routeInput, connections };
  };

  it("extends the deadline of a message of a stream during a long run", async () => {
    const name = uniqueName();
    const manager = await jetstreamManager(client);
    await manager.streams.add({ name, subjects: [name] });
    const host = new FakeHost();
    const { source, connections } = await gated(`nats:${name}?jetstreamEnabled=true&jetstreamName=${name}&durableName=slow&ackWait=60000`, host);
    const acknowledgements = await received(`$JS.ACK.${name}.slow.>`);
    let finish = (): void => undefined;
    const running = new FakeRouteInput(() => new Promise<void>((resolve) => (finish = resolve)));
    await source.start(running);
    await jetstream(client).publish(name, "slow");
    await expectEventually(() => running.exchanges.length, 1);
    for (const extensions of [1, 2, 3]) {
      await host.clock.advance(20_000);
      await expectEventually(() => acknowledgements.texts.join(), Array(extensions).fill("+WPI").join());
    }
    finish();
    await expectEventually(() => acknowledgements.texts.at(-1), "+ACK");
    await source.stop();
    await connections.close();
    await manager.streams.delete(name);
  });

  it("offers no more messages than its window to a route at its limit, keeps their order, and delivers all before it stops", async () => {
    const name = uniqueName();
    const { source, route, routeInput, connections } = await gated(`nats:${name}`);
    await source.start(routeInput);
    for (const text of numberedMessages(500)) client.publish(name, text);
    await client.flush();
    // The reply to a ping follows all messages.
    await (await connections.find<{ connection: NatsConnection }>({ reference: "nats", kinds: ["nats"] }).client()).connection.flush();
    await expectEventually(() => route.attempts > 2, true);
    expect([...route.offered]).toEqual(["message 0"]);
    const stopping = source.stop();
    const { attempts } = route;
    await expectEventually(() => route.attempts > attempts, true);
    route.isOpen = true;
    await stopping;
    expect(route.done).toEqual(numberedMessages(500));
    await connections.close();
  });

  it("fetches no more messages of a stream than its window for a route at its limit, and returns them when it stops", async () => {
    const name = uniqueName();
    const manager = await jetstreamManager(client);
    await manager.streams.add({ name, subjects: [name] });
    const { source, route, routeInput, connections } = await gated(`nats:${name}?jetstreamEnabled=true&jetstreamName=${name}&durableName=slow&poolSize=5`);
    const stream = jetstream(client);
    for (const text of numberedMessages(100)) await stream.publish(name, text);
    await source.start(routeInput);
    // Each of the five is offered again and again.
    await expectEventually(() => route.attempts > 20, true);
    expect([route.offered.size, (await manager.consumers.info(name, "slow")).num_ack_pending]).toEqual([5, 5]);
    await source.stop();
    route.isOpen = true;
    await source.start(routeInput);
    await expectEventually(() => missingOf(100, route.done).length, 0);
    await source.stop();
    expect(route.done.length).toBe(100);
    await connections.close();
    await manager.streams.delete(name);
  });

  it("reports a stream whose consumer was deleted, and that it receives again", async () => {
    const name = uniqueName();
    const { source, route, routeInput, connections } = await gated(
      `nats:${name}?jetstreamEnabled=true&jetstreamName=${name}&durableName=lasting&reconnectTimeWait=50`,
    );
    route.isOpen = true;
    await source.start(routeInput);
    const manager = await jetstreamManager(client);
    await manager.consumers.delete(name, "lasting");
    await expectEventually(() => routeInput.problems.length > 0, true);
    await expectEventually(() => routeInput.problems.at(-1), undefined);
    await jetstream(client).publish(name, "after");
    await expectEventually(() => route.done.join(), "after");
    expect(routeInput.problems.at(-1)).toBeUndefined();
    await source.stop();
    await connections.close();
    await manager.streams.delete(name);
  });

  it("reports a subject that the server does not permit", async () => {
    const name = uniqueName();
    await runtime.deploy(name, `- route: {id: ${name}, from: {uri: "nats:unreadable.${name}?servers=${servers}", steps: [{log: in}]}}`);
    await expectEventually(() => runtime.routeStatus(name), "Failed");
    expect((await runtime.api("GET", `/flows/${name}`)).text).toMatch(/permissions violation/i);
    await runtime.api("DELETE", `/flows/${name}`);
  });

  it("starts while the server is down, reports it, and receives when it is up", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    await link.refuse();
    const out = await received(`${name}.out`);
    await expectFailedRoute(runtime, name, () =>
      runtime.deploy(
        name,
        `- route: {id: ${name}, from: {uri: "nats:${name}.in?servers=localhost:${link.port}", steps: [{to: "nats:${name}.out?servers=${servers}"}]}}`,
      ),
    );
    await link.open();
    await expectEventually(() => runtime.routeStatus(name), "Started");
    client.publish(`${name}.in`, "back");
    await expectEventually(() => out.texts[0], "back");
    await link.close();
  });

  it.each(["reconnect=false", "maxReconnectAttempts=1"])("does not reconnect beyond its limit: %s", async (limit) => {
    const name = uniqueName();
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "nats:${name}.in?servers=localhost:${link.port}&reconnectTimeWait=100&${limit}", steps: [{log: in}]}}`,
    );
    await expectEventually(() => runtime.routeStatus(name), "Started");
    await link.refuse();
    link.cut();
    await expectEventually(async () => (await runtime.api("GET", `/flows/${name}`)).text.includes(`because of ${limit}: restart the route`), true);
    expect(await runtime.routeStatus(name)).toBe("Failed");
    await runtime.api("DELETE", `/flows/${name}`);
    await link.close();
  });
});
