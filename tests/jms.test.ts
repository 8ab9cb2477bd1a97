// Flows that use AMQP 1.0: with a real RabbitMQ and its plug-in, and with a scripted broker for features that RabbitMQ lacks.
import rhea, { type Message } from "rhea";
import amqplib, { type Channel, type ChannelModel } from "amqplib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectionIndex, connectorIndex, loadClient } from "@sluice/connectors";
import { connectorSuite, FakeHost, FaultyLink, serverFor, testConnections, type TestConnections, type TestServer } from "@sluice/testkit";
import { AmqpPeer } from "./amqp-peer.ts";
import {
  expectEventually,
  expectFailedRoute,
  sometimesFailingSteps,
  numberedMessages,
  startBrokerRuntime,
  uniqueName,
  waitForAllDespiteCuts,
  type BrokerRuntime,
} from "./broker-runtime.ts";

const factory = (name: string, uri: string, extra = ""): string =>
  `{name: ${name}, type: org.apache.qpid.jms.JmsConnectionFactory, properties: {remoteURI: "${uri}"${extra}}}`;
/** Endpoints name the bean, which is optional with a single connection. */
const withFactory = (routes: string): string =>
  routes.replaceAll(/"((?:jms|amqp|activemq):[^"?]*)\??/g, '"$1?connectionFactory=#broker&').replaceAll('#broker&"', '#broker"');
const failing = "{throwException: {exceptionType: java.io.IOException, message: broken}}";

describe("jms with a scripted broker", () => {
  let runtime: BrokerRuntime;
  let peer: AmqpPeer;
  const uncaught: unknown[] = [];
  const recordUncaught = (error: unknown): void => void uncaught.push(error);

  beforeAll(async () => {
    runtime = await startBrokerRuntime();
    peer = await AmqpPeer.start();
    process.on("uncaughtException", recordUncaught);
  });
  afterAll(async () => {
    await runtime.end();
    await peer.end();
    process.off("uncaughtException", recordUncaught);
  });

  const deploy = (name: string, routes: string, extra = ""): Promise<void> =>
    runtime.deploy(name, `- beans: [${factory("broker", `amqp://127.0.0.1:${peer.port}`, extra)}]\n${withFactory(routes)}`);
  const texts = (queue: string): readonly unknown[] => peer.waiting(queue).map(({ body }) => body as unknown);

  it("keeps every key of a map, including those that the client library uses for its own types", async () => {
    const name = uniqueName();
    const maps = [
      { type: "order", value: 5 },
      { type: "order", value: 5, descriptor: "d" },
      { typecode: 0x76, content: "c" },
    ];
    await deploy(name, `- route: {id: ${name}, from: {uri: "jms:queue:${name}.in", steps: [{to: "jms:${name}.out"}]}}`);
    for (const body of maps) peer.send(`${name}.in`, { body });
    await expectEventually(() => peer.waiting(`${name}.out`).length, maps.length);
    expect(texts(`${name}.out`)).toEqual(maps);
  });

  it("moves messages with their headers and types", async () => {
    const name = uniqueName();
    await deploy(
      name,
      `- route: {id: ${name}, from: {uri: "jms:queue:${name}.in", steps: [{setHeader: {name: order-id, simple: "\${header.order-no}"}}, {to: "activemq:${name}.out"}]}}`,
    );
    peer.send(`${name}.in`, { body: "text", application_properties: { order_HYPHEN_no: 7 }, correlation_id: "c1", subject: "order" });
    peer.send(`${name}.in`, { body: { a: 1, b: "two" } });
    peer.send(`${name}.in`, { body: rhea.message.data_section(Buffer.from([1, 2, 3])) });
    await expectEventually(() => peer.waiting(`${name}.out`).length, 3);
    const [text, map, bytes] = peer.waiting(`${name}.out`);
    expect(text).toMatchObject({
      body: "text",
      correlation_id: "c1",
      subject: "order",
      durable: true,
      priority: 4,
      application_properties: { order_HYPHEN_no: 7, order_HYPHEN_id: 7 },
    });
    expect(text?.message_annotations).toMatchObject({ "x-opt-jms-msg-type": 5 });
    expect(map).toMatchObject({ body: { a: 1, b: "two" }, message_annotations: { "x-opt-jms-msg-type": 2 } });
    expect([...(bytes?.body as { content: Buffer }).content]).toEqual([1, 2, 3]);
  });

  it("lets the broker count failures, and dead-letters a poison message after 6 attempts, so that it can be replayed", async () => {
    const name = uniqueName();
    await deploy(
      name,
      `- route: {id: ${name}, from: {uri: "jms:${name}.in?redeliveryDelay=10", steps: [{setHeader: {name: count, simple: "\${header.JMSXDeliveryCount}"}}, {setBody: {constant: changed}}, ${failing}]}}`,
    );
    peer.send(`${name}.in`, { body: "poison", message_id: "m1" });
    await expectEventually(async () => (await runtime.deadLetters(name)).length, 1);
    expect(peer.outcomes.filter(({ queue }) => queue === `${name}.in`).map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 5 }, () => "modified"),
      "accepted",
    ]);
    const [deadLetter] = await runtime.deadLetters(name);
    expect(deadLetter).toMatchObject({ body: "poison", attempts: 6 });
    await deploy(name, `- route: {id: ${name}, from: {uri: "jms:${name}.in", steps: [{to: "jms:${name}.out?exchangePattern=InOnly"}]}}`);
    expect((await runtime.api("POST", `/dead-letters/${deadLetter?.id}/replay`, {})).json).toMatchObject({ replayed: true });
    expect(texts(`${name}.out`)).toEqual(["poison"]);
  });

  it("sends requests with a temporary queue, replies, and fails on timeout", async () => {
    const name = uniqueName();
    const call = (queue: string, timeoutMs: number): string => `{to: "jms:${queue}?exchangePattern=InOut&requestTimeout=${timeoutMs}"}`;
    await deploy(
      name,
      `- route: {id: ${name}-server, from: {uri: "jms:${name}.ask", steps: [{setBody: {simple: "re: \${body}"}}]}}
- route: {id: ${name}, from: {uri: "jms:${name}.in", steps: [{doTry: {steps: [{choice: {when: [{simple: "\${body} == 'two'", steps: [${call(`${name}.silent`, 500)}]}], otherwise: {steps: [${call(`${name}.ask`, 60_000)}]}}}], doCatch: [{exception: [org.apache.camel.ExchangeTimedOutException], steps: [{setBody: {constant: late}}]}]}}, {to: "jms:${name}.out?exchangePattern=InOnly"}]}}`,
    );
    for (const body of ["one", "two", "three"]) peer.send(`${name}.in`, { body });
    await expectEventually(() => texts(`${name}.out`).join(), "re: one,late,re: three");
  });

  /** The first message in a queue, once it is there. */
  const first = async (queue: string): Promise<Message> => {
    await expectEventually(() => peer.waiting(queue).length > 0, true);
    return peer.waiting(queue)[0] as Message;
  };
  const sendReply = ({ reply_to, correlation_id }: Message, reply: Partial<Message>): void =>
    peer.send(String(reply_to), { ...reply, ...(correlation_id === undefined ? {} : { correlation_id }) });

  it("keeps the headers of a reply apart from those of the route: they are forwarded, but control no step", async () => {
    const name = uniqueName();
    await deploy(
      name,
      `- route: {id: ${name}, from: {uri: "jms:${name}.in", steps: [{setHeader: {name: mine, constant: kept}}, {to: "jms:${name}.ask?exchangePattern=InOut"}, {setHeader: {name: seen, simple: "\${header.answer} \${header.JMSType}"}}, {to: "jms:${name}.out?exchangePattern=InOnly"}]}}`,
    );
    peer.send(`${name}.in`, { body: "question" });
    sendReply(await first(`${name}.ask`), {
      body: "answer",
      subject: "reply",
      application_properties: { CamelJmsDestinationName: `${name}.stolen`, answer: "42", mine: "replaced", JMSXGroupID: "group" },
    });
    await expectEventually(() => texts(`${name}.out`).length + texts(`${name}.stolen`).length, 1);
    expect([texts(`${name}.out`), texts(`${name}.stolen`)]).toEqual([["answer"], []]);
    const [out] = peer.waiting(`${name}.out`);
    expect([out?.application_properties, out?.group_id]).toEqual([{ answer: "42", mine: "replaced", seen: "42 reply" }, undefined]);
  });

  it("sends bodies that are streams, including as replies", async () => {
    const name = uniqueName();
    const bytes = "a body in pieces ".repeat(10_000).trim();
    await runtime.deploy(`${name}-origin`, `- route: {id: ${name}-origin, from: {uri: "webhook", steps: [{setBody: {constant: "${bytes}"}}]}}`);
    const streamed = `{toD: {uri: "${runtime.baseUrl}/api/${name}-origin?bridgeEndpoint=true&disableStreamCache=true"}}`;
    await deploy(
      name,
      `- route: {id: ${name}, from: {uri: "jms:${name}.in", steps: [${streamed}, {to: "jms:${name}.out?exchangePattern=InOnly&jmsMessageType=Text"}]}}
- route: {id: ${name}-reply, from: {uri: "jms:${name}.ask", steps: [${streamed}]}}`,
    );
    peer.send(`${name}.in`, { body: "x" });
    expect((await first(`${name}.out`)).body).toBe(bytes);
    peer.send(`${name}.ask`, { body: "x", reply_to: `${name}.reply` });
    const { content } = (await first(`${name}.reply`)).body as { readonly content: Buffer };
    expect(content.toString()).toBe(bytes);
  });

  it("accepts a request whose reply cannot be built, and logs why", async () => {
    const name = uniqueName();
    await deploy(name, `- route: {id: ${name}, from: {uri: "jms:${name}.ask?jmsMessageType=Map", steps: [{setBody: {constant: "not a map"}}]}}`);
    for (let n = 0; n < 150; n++) peer.send(`${name}.ask`, { body: `${n}`, reply_to: `${name}.reply` });
    await expectEventually(() => peer.outcomes.filter(({ queue, outcome }) => queue === `${name}.ask` && outcome === "accepted").length, 150);
    await expect.poll(() => runtime.logText()).toContain("cannot send the reply: cannot send the body as a message of type Map");
    expect(texts(`${name}.reply`)).toEqual([]);
  });

  it("receives replies in a reply queue when the message has a correlation id", async () => {
    const name = uniqueName();
    await deploy(
      name,
      `- route: {id: ${name}, from: {uri: "jms:${name}.in?maximumRedeliveries=0", steps: [{to: "jms:${name}.ask?exchangePattern=InOut&replyTo=${name}.answers&requestTimeout=60000"}, {to: "jms:${name}.out?exchangePattern=InOnly"}]}}`,
    );
    peer.send(`${name}.in`, { body: "question", correlation_id: "from-outside" });
    const request = await first(`${name}.ask`);
    const { filter } = peer.sources.findLast(({ address }) => address === `${name}.answers`) as { filter: unknown };
    const [, prefix = "no filter"] = /LIKE '(.*)%'/.exec(JSON.stringify(filter)) ?? [];
    // A broker delivers only replies that match the filter.
    expect(String(request.correlation_id).startsWith(prefix)).toBe(true);
    sendReply(request, { body: "answer" });
    await expectEventually(() => texts(`${name}.out`).join(), "answer");
    expect(peer.waiting(`${name}.out`)[0]?.correlation_id).toBe("from-outside");
  });

  it("sends with the persistence, priority and expiry of the endpoint or of the received message", async () => {
    const name = uniqueName();
    await deploy(
      name,
      `- route: {id: ${name}, from: {uri: "jms:${name}.in", steps: [{to: "jms:${name}.a?deliveryPersistent=false&priority=7&timeToLive=60000"}, {to: "jms:${name}.b?preserveMessageQos=true"}, {to: "jms:${name}.c?jmsMessageType=Bytes&deliveryDelay=500&replyTo=${name}.answers&exchangePattern=InOnly"}]}}`,
    );
    peer.send(`${name}.in`, { body: "x", durable: true, priority: 9, absolute_expiry_time: (Date.now() + 7_200_000) as unknown as Date });
    await expectEventually(() => peer.waiting(`${name}.c`).length, 1);
    const [[a], [b], [c]] = [peer.waiting(`${name}.a`), peer.waiting(`${name}.b`), peer.waiting(`${name}.c`)] as const;
    expect(a).toMatchObject({ priority: 7, ttl: 60_000 });
    expect([a?.durable === true, b?.durable, b?.priority]).toEqual([false, true, 9]);
    expect([Number(b?.ttl) > 3_600_000, Number(b?.ttl) <= 7_200_000]).toEqual([true, true]);
    expect(c).toMatchObject({ reply_to: `${name}.answers`, message_annotations: { "x-opt-jms-msg-type": 3, "x-opt-delivery-delay": 500 } });
  });

  it("matches replies by a property, and sends replies that are not persistent", async () => {
    const name = uniqueName();
    await deploy(
      name,
      `- route: {id: ${name}, from: {uri: "jms:${name}.in?replyToDeliveryPersistent=false", steps: [{to: "jms:${name}.ask?exchangePattern=InOut&replyTo=${name}.answers&correlationProperty=conversation"}]}}`,
    );
    peer.send(`${name}.in`, { body: "question", reply_to: `${name}.reply` });
    const { application_properties, correlation_id } = await first(`${name}.ask`);
    expect([application_properties, correlation_id]).toEqual([{ conversation: expect.any(String) }, undefined]);
    const { filter } = peer.sources.findLast(({ address }) => address === `${name}.answers`) as { filter: unknown };
    expect(JSON.stringify(filter)).toContain("conversation LIKE ");
    peer.send(`${name}.answers`, { body: "of another request", application_properties: { conversation: "other" } });
    peer.send(`${name}.answers`, { body: "answer", application_properties });
    const reply = await first(`${name}.reply`);
    expect([reply.body, reply.durable === true]).toEqual(["answer", false]);
  });

  it("receives nothing with autoStartup=false", async () => {
    const name = uniqueName();
    await deploy(name, `- route: {id: ${name}, from: {uri: "jms:${name}.in?autoStartup=false", steps: [{to: "jms:${name}.out?exchangePattern=InOnly"}]}}`);
    peer.send(`${name}.in`, { body: "x" });
    // A deployment ends when the source has subscribed.
    expect([texts(`${name}.in`), peer.sources.some(({ address }) => address === `${name}.in`)]).toEqual([["x"], false]);
    await runtime.api("DELETE", `/flows/${name}`);
  });

  it("processes up to concurrentConsumers messages concurrently", async () => {
    const name = uniqueName();
    await deploy(
      name,
      `- route: {id: ${name}, from: {uri: "jms:${name}.in?concurrentConsumers=5", steps: [{to: "jms:${name}.held?exchangePattern=InOut&requestTimeout=60000"}]}}`,
    );
    for (let n = 0; n < 10; n++) peer.send(`${name}.in`, { body: `${n}` });
    const held = (): readonly Message[] => peer.waiting(`${name}.held`);
    for (let replies = 0; replies < 10; replies++) {
      await expectEventually(() => held().length, Math.min(replies + 5, 10));
      sendReply(held()[replies] as Message, { body: "done" });
    }
    await expectEventually(() => peer.outcomes.filter(({ queue, outcome }) => queue === `${name}.in` && outcome === "accepted").length, 10);
  });

  it("keeps durable subscriptions when it stops, and sends selectors to the broker", async () => {
    const name = uniqueName();
    const before = peer.closedLinks;
    await deploy(
      name,
      `- route: {id: ${name}, from: {uri: "jms:topic:${name}?subscriptionDurable=true&subscriptionName=mine&selector=a=1&clientId=shop", steps: [{log: in}]}}`,
      ", clientID: shop",
    );
    await expectEventually(() => runtime.routeStatus(name), "Started");
    const source = peer.sources.at(-1) as { name: string; durable: unknown; filter: Record<string, { value?: unknown }> };
    expect([source.name, Number(source.durable), peer.clients.includes("shop")]).toEqual(["mine", 2, true]);
    expect(JSON.stringify(source.filter)).toContain("a=1");
    await runtime.api("DELETE", `/flows/${name}`);
    expect(peer.closedLinks).toBe(before);
  });

  it("does not start a durable subscription without the client id that it belongs to", async () => {
    const name = uniqueName();
    const flow = (extra: string): string =>
      `- route: {id: ${name}, from: {uri: "jms:topic:${name}?subscriptionDurable=true&subscriptionName=mine${extra}", steps: [{log: in}]}}`;
    const problem = async (): Promise<string> => (await runtime.api("GET", `/flows/${name}`)).text;
    for (const [extra, connection] of [
      ["", ""],
      ["&clientId=shop", ""],
      ["&clientId=shop", ", clientID: other"],
    ] as const) {
      await deploy(name, flow(extra), connection);
      expect([await runtime.routeStatus(name), await problem()]).toEqual(["Failed", expect.stringContaining("in the connection")]);
    }
    await deploy(name, flow("&subscriptionShared=true"));
    await expectEventually(() => runtime.routeStatus(name), "Started");
    await runtime.api("DELETE", `/flows/${name}`);
  });

  it("fails a send that the broker rejects", async () => {
    const name = uniqueName();
    await deploy(name, `- route: {id: ${name}, from: {uri: "jms:${name}.in?maximumRedeliveries=0", steps: [{to: "jms:${name}.out"}]}}`);
    peer.rejectionReason = "no room";
    peer.send(`${name}.in`, { body: "one" });
    await expectEventually(async () => (await runtime.deadLetters(name)).length, 1).finally(() => (peer.rejectionReason = undefined));
  });

  it("survives connections and sessions that the broker closes with an error, without an uncaught exception", async () => {
    const name = uniqueName();
    await deploy(
      name,
      `- route: {id: ${name}, errorHandler: {defaultErrorHandler: {redeliveryPolicy: {maximumRedeliveries: 20, redeliveryDelay: 50}}}, from: {uri: "jms:${name}.in?recoveryInterval=200", steps: [{to: "jms:${name}.out"}]}}`,
    );
    const closeActions = [() => peer.closeAll(), () => peer.endSessions(), () => peer.closeAll("amqp:internal-error")];
    for (const [round, close] of closeActions.entries()) {
      await expectEventually(() => runtime.routeStatus(name), "Started");
      close();
      await expectEventually(() => runtime.routeStatus(name), "Failed");
      peer.send(`${name}.in`, { body: `round ${round}` });
    }
    await expectEventually(() => [...new Set(texts(`${name}.out`).map(String))].toSorted().join(), "round 0,round 1,round 2");
    expect(uncaught).toEqual([]);
  });

  it("rejects OpenWire with the address to use instead", async () => {
    const bean = (type: string, url: string): string =>
      `- beans: [{name: broker, type: ${type}, properties: {brokerURL: "${url}"}}]\n- route: {id: wire, from: {uri: "activemq:a", steps: [{log: in}]}}`;
    for (const yaml of [
      bean("org.apache.activemq.ActiveMQConnectionFactory", "tcp://b:61616"),
      bean("org.apache.qpid.jms.JmsConnectionFactory", "tcp://b:61616"),
    ]) {
      const { status, text } = await runtime.putFlow("wire", yaml.replace("activemq:a", "activemq:a?connectionFactory=#broker"));
      expect([status, text]).toEqual([422, expect.stringContaining("OpenWire is not supported: use the broker's AMQP address, amqp://host:5672")]);
    }
  });
});

describe("amqp passes the connector suite", async () => {
  const peer = await AmqpPeer.start();
  const opened: TestConnections[] = [];
  afterAll(async () => {
    for (const connections of opened) await connections.close();
    await peer.end();
  });
  const [connector, type] = [connectorIndex.find(({ scheme }) => scheme === "amqp"), connectionIndex.find((entry) => entry.type === "amqp")];
  if (connector === undefined || type === undefined) throw new Error("amqp is not in the index");
  const connection = await type.load();
  const host = (): FakeHost => {
    const fakeHost = new FakeHost();
    const connections = testConnections(fakeHost, { broker: { declaration: connection, values: { url: `amqp://127.0.0.1:${peer.port}` } } }, loadClient);
    opened.push(connections);
    return Object.assign(fakeHost, { connections });
  };
  for (const { name, run } of connectorSuite(await connector.load({}), { uri: "amqp:queue:suite", host })) it(name, run);
});

const server: TestServer | undefined = await serverFor("rabbitmq", { own: true });

describe.skipIf(server === undefined)("jms (needs RabbitMQ)", () => {
  const { port = 0 } = server ?? {};
  let runtime: BrokerRuntime;
  let client: ChannelModel;
  let channel: Channel;

  beforeAll(async () => {
    runtime = await startBrokerRuntime();
    client = await amqplib.connect(`amqp://guest:guest@127.0.0.1:${port}`);
    channel = await client.createChannel();
  });
  afterAll(async () => {
    await runtime.end();
    await client.close();
    await server?.end();
  });

  const deploy = (name: string, routes: string, linkPort = port): Promise<void> =>
    runtime.deploy(
      name,
      `- beans: [${factory("broker", `amqp://127.0.0.1:${linkPort}?jms.username=guest&jms.password=guest`, `, queuePrefix: /queue/, topicPrefix: /topic/`)}]\n${withFactory(routes)}`,
    );
  const received = async (name: string): Promise<string[]> => {
    const texts: string[] = [];
    await channel.assertQueue(name, { durable: true });
    // The plug-in wraps AMQP 1.0 text with its type: the text is at the end of the bytes.
    await channel.consume(name, (message) => message !== null && texts.push(/message \d+$|[a-z :]+$/.exec(message.content.toString("latin1"))?.[0] ?? ""), {
      noAck: true,
    });
    return texts;
  };
  const send = async (name: string, texts: readonly string[]): Promise<void> => {
    await channel.assertQueue(name, { durable: true });
    for (const text of texts) channel.sendToQueue(name, Buffer.from(text), { contentType: "text/plain" });
  };
  const countIn = async (name: string): Promise<number> => (await channel.checkQueue(name)).messageCount;

  it("moves messages in order", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await send(`${name}.in`, numberedMessages(200));
    await deploy(name, `- route: {id: ${name}, from: {uri: "amqp:queue:${name}.in", steps: [{convertBodyTo: {type: String}}, {to: "amqp:${name}.out"}]}}`);
    await expectEventually(() => out.length, 200);
    expect(out).toEqual(numberedMessages(200));
    await expectEventually(() => countIn(`${name}.in`), 0);
  });

  it("retries failed messages, then dead-letters them unchanged", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await send(`${name}.in`, numberedMessages(50));
    await deploy(name, `- route: {id: ${name}, from: {uri: "amqp:${name}.in?redeliveryDelay=5", steps: [${sometimesFailingSteps}, {to: "amqp:${name}.out"}]}}`);
    await expectEventually(() => out.length, 45);
    await expectEventually(async () => (await runtime.deadLetters(name)).length, 5);
    const deadLetters = await runtime.deadLetters(name);
    expect(deadLetters.map(({ body }) => body).toSorted()).toEqual([7, 17, 27, 37, 47].map((number) => `message ${number}`).toSorted());
    expect(deadLetters.map(({ attempts }) => attempts)).toEqual([6, 6, 6, 6, 6]);
    await expectEventually(() => countIn(`${name}.in`), 0);
  });

  it("sends requests with a reply queue, and reports that the broker has no temporary queues", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await send(`${name}.in`, ["one"]);
    await deploy(
      name,
      `- route: {id: ${name}-server, from: {uri: "amqp:${name}.ask", steps: [{setBody: {simple: "re: \${body}"}}]}}
- route: {id: ${name}, from: {uri: "amqp:${name}.in", steps: [{convertBodyTo: {type: String}}, {to: "amqp:${name}.ask?exchangePattern=InOut&replyTo=${name}.answers&replyToType=Exclusive"}, {to: "amqp:${name}.out?exchangePattern=InOnly"}]}}
- route: {id: ${name}-none, from: {uri: "amqp:${name}.none?maximumRedeliveries=0", steps: [{to: "amqp:${name}.ask?exchangePattern=InOut"}]}}`,
    );
    await expectEventually(() => out.join(), "re: one");
    await send(`${name}.none`, ["two"]);
    await expectEventually(async () => (await runtime.deadLetters(`${name}-none`)).length, 1);
    const { json } = await runtime.api("GET", "/dead-letters?limit=1000");
    expect(JSON.stringify(json)).toContain("set replyTo to a reply queue and replyToType=Exclusive");
  });

  it("loses no message when connections are dropped, inbound and outbound", async () => {
    const name = uniqueName();
    const count = 100;
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    const out = await received(`${name}.out`);
    await send(`${name}.in`, numberedMessages(count));
    await deploy(
      name,
      `- route: {id: ${name}, errorHandler: {defaultErrorHandler: {redeliveryPolicy: {maximumRedeliveries: 20, redeliveryDelay: 100}}}, from: {uri: "amqp:${name}.in?recoveryInterval=200", steps: [{convertBodyTo: {type: String}}, {to: "amqp:${name}.out"}]}}`,
      link.port,
    );
    await waitForAllDespiteCuts(link, count, () => out);
    await expectEventually(() => countIn(`${name}.in`), 0);
    expect(await runtime.deadLetters(name)).toEqual([]);
    await runtime.api("DELETE", `/flows/${name}`);
    await link.close();
  });

  it("starts while the broker is down, reports it, and receives when it is up", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    await link.refuse();
    await send(`${name}.in`, ["back"]);
    await expectFailedRoute(runtime, name, () =>
      deploy(
        name,
        `- route: {id: ${name}, from: {uri: "amqp:${name}.in?recoveryInterval=500", steps: [{convertBodyTo: {type: String}}, {log: "got \${body}"}]}}`,
        link.port,
      ),
    );
    await link.open();
    await expectEventually(() => runtime.routeStatus(name), "Started");
    await expectEventually(() => runtime.logText().includes("got back"), true);
    await runtime.api("DELETE", `/flows/${name}`);
    await link.close();
  });
});
