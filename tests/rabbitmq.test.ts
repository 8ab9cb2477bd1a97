// Flows that use a real RabbitMQ.
import amqplib, { type Channel, type ChannelModel, type ConsumeMessage, type Options } from "amqplib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FaultyLink, serverFor } from "@sluice/testkit";
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

const server = await serverFor("rabbitmq");

describe.skipIf(server === undefined)("spring-rabbitmq (needs RabbitMQ)", () => {
  const { port = 0 } = server ?? {};
  const serverOptions = (linkPort = port): string => `hostname=127.0.0.1&portNumber=${linkPort}`;
  let runtime: BrokerRuntime;
  let client: ChannelModel;
  let channel: Channel;
  const queues: string[] = [];

  beforeAll(async () => {
    runtime = await startBrokerRuntime();
    client = await amqplib.connect(`amqp://guest:guest@127.0.0.1:${port}`);
    channel = await client.createChannel();
  });
  afterAll(async () => {
    await runtime.end();
    for (const queue of queues) await channel.deleteQueue(queue);
    await client.close();
    await server?.end();
  });

  const queue = async (name: string, options: Options.AssertQueue = {}): Promise<string> => {
    await channel.assertQueue(name, { durable: false, ...options });
    queues.push(name);
    return name;
  };
  /** All messages in a queue from now on. */
  const received = async (name: string): Promise<{ texts: string[]; messages: ConsumeMessage[] }> => {
    const found = { texts: [] as string[], messages: [] as ConsumeMessage[] };
    await channel.consume(
      await queue(name),
      (message) => {
        if (message === null) return;
        found.texts.push(message.content.toString());
        found.messages.push(message);
      },
      { noAck: true },
    );
    return found;
  };
  const send = (name: string, texts: readonly string[], options: Options.Publish = {}): void => {
    for (const text of texts) channel.sendToQueue(name, Buffer.from(text), { contentType: "text/plain", ...options });
  };
  const countIn = async (name: string): Promise<number> => (await channel.checkQueue(name)).messageCount;
  const routed = (name: string, steps: string, source = ""): string =>
    `- route: {id: ${name}, from: {uri: "spring-rabbitmq:default?queues=${name}.in&${serverOptions()}${source}", steps: [${steps}]}}`;

  it("moves messages between queues in order, with headers of any type", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await runtime.deploy(
      name,
      routed(
        name,
        `{setHeader: {name: key, simple: "\${header.CamelSpringRabbitmqRoutingKey}"}}, {to: "spring-rabbitmq:default?routingKey=${name}.out&${serverOptions()}"}`,
      ),
    );
    await queue(`${name}.in`);
    send(`${name}.in`, numberedMessages(200), { headers: { orderId: 7, rush: true }, type: "order", correlationId: "c1" });
    await expectEventually(() => out.texts.length, 200);
    expect(out.texts).toEqual(numberedMessages(200));
    const { properties } = out.messages[0] as ConsumeMessage;
    expect(properties).toMatchObject({ type: "order", correlationId: "c1", contentType: "text/plain", deliveryMode: 2 });
    expect(properties.headers).toMatchObject({ orderId: 7, rush: true, key: `${name}.in` });
    expect(Object.keys(properties.headers ?? {}).filter((header) => /^camel/i.test(header))).toEqual([]);
  });

  it("declares exchange and queue, and sends to the target set by the route, never by the message", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    const other = await received(`${name}.other`);
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "spring-rabbitmq:${name}?queues=${name}.in&routingKey=go&exchangeType=topic&arg.exchange.autoDelete=true&${serverOptions()}", steps: [
          {choice: {when: [{simple: "\${body} == 'moved'", steps: [{setHeader: {name: CamelSpringRabbitmqRoutingOverrideKey, constant: ${name}.other}}]}]}},
          {to: "spring-rabbitmq:default?routingKey=${name}.out&${serverOptions()}"}]}}`,
    );
    await expectEventually(() => runtime.routeStatus(name), "Started");
    queues.push(`${name}.in`);
    const headers = { CamelSpringRabbitmqRoutingOverrideKey: `${name}.other`, CamelSpringRabbitmqExchangeOverrideName: "nowhere" };
    for (const text of ["plain", "moved"]) channel.publish(name, "go", Buffer.from(text), { contentType: "text/plain", headers });
    await expectEventually(() => [...out.texts, "|", ...other.texts].join(), "plain,|,moved");
  });

  it("fails when no queue receives the message, and for an unknown exchange", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    const sending = `{toD: "spring-rabbitmq:\${body}?routingKey=${name}.none&connectionFactory=#broker"}`;
    await runtime.deploy(
      name,
      `
- beans: [{name: broker, type: org.springframework.amqp.rabbit.connection.CachingConnectionFactory, properties: {host: 127.0.0.1, port: ${port}}}]
- route: {id: ${name}, from: {uri: "spring-rabbitmq:default?queues=${name}.in&${serverOptions()}", steps: [{doTry: {steps: [${sending}], doCatch: [{exception: [org.springframework.amqp.AmqpException], steps: [{setBody: {simple: "\${exception.message}"}}]}]}}, {to: "spring-rabbitmq:default?routingKey=${name}.out&${serverOptions()}"}]}}`,
    );
    await queue(`${name}.in`);
    send(`${name}.in`, ["default", `${name}.missing`, "default"]);
    await expectEventually(() => out.texts.length, 3);
    expect(out.texts[0]).toMatch(/no queue received the message.*NO_ROUTE/);
    expect(out.texts[1]).toContain(`no exchange '${name}.missing'`);
    expect(out.texts[2]).toMatch(/NO_ROUTE/);
  });

  it("fails only the unroutable one of several messages with the same id", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    const failed = await received(`${name}.failed`);
    const sendTo = (key: string): string =>
      `{setHeader: {name: CamelSpringRabbitmqRoutingOverrideKey, simple: "${key}"}}, {to: "spring-rabbitmq:default?exchangePattern=InOnly&${serverOptions()}"}`;
    const sending = `{doTry: {steps: [${sendTo(`${name}.\${body}`)}], doCatch: [{exception: [org.springframework.amqp.AmqpException], steps: [${sendTo(`${name}.failed`)}]}]}}`;
    await runtime.deploy(name, routed(name, `{split: {simple: "\${body.split(',')}", parallelProcessing: true, steps: [${sending}]}}`));
    await queue(`${name}.in`);
    send(`${name}.in`, [Array.from({ length: 10 }, () => "none,out").join()], { messageId: "same" });
    await expectEventually(() => out.texts.join(), Array.from({ length: 10 }, () => "out").join());
    await expectEventually(() => failed.texts.join(), Array.from({ length: 10 }, () => "none").join());
  });

  it("replies, waits for replies, and fails on timeout", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    const call = (key: string, timeoutMs: number) =>
      `{to: "spring-rabbitmq:default?routingKey=${key}&exchangePattern=InOut&replyTimeout=${timeoutMs}&${serverOptions()}"}`;
    await runtime.deploy(
      name,
      `
- route: {id: ${name}-server, from: {uri: "spring-rabbitmq:default?queues=${name}.ask&${serverOptions()}", steps: [{setBody: {simple: "re: \${body}"}}]}}
- route: {id: ${name}, from: {uri: "spring-rabbitmq:default?queues=${name}.in&${serverOptions()}", steps: [{doTry: {steps: [{choice: {when: [{simple: "\${body} == 'two'", steps: [${call(`${name}.silent`, 500)}]}], otherwise: {steps: [${call(`${name}.ask`, 60_000)}]}}}], doCatch: [{exception: [org.apache.camel.ExchangeTimedOutException], steps: [{setBody: {constant: late}}]}]}}, {to: "spring-rabbitmq:default?routingKey=${name}.out&exchangePattern=InOnly&${serverOptions()}"}]}}`,
    );
    await queue(`${name}.silent`);
    await expectEventually(() => runtime.routeStatus(name), "Started");
    queues.push(`${name}.ask`, `${name}.in`);
    send(`${name}.in`, ["one", "two", "three"]);
    await expectEventually(() => out.texts.length, 3);
    expect(out.texts).toEqual(["re: one", "late", "re: three"]);
  });

  it("keeps the headers of a reply apart from those of the route: they are forwarded, but control no step", async () => {
    const name = uniqueName();
    const [out, stolen] = [await received(`${name}.out`), await received(`${name}.stolen`)];
    await channel.consume(await queue(`${name}.ask`), (message) => {
      if (message === null) return;
      const { replyTo, correlationId } = message.properties as { readonly replyTo: string; readonly correlationId: string };
      const headers = { CamelSpringRabbitmqRoutingOverrideKey: `${name}.stolen`, answer: 42 };
      channel.sendToQueue(replyTo, Buffer.from("answer"), { correlationId, type: "reply", contentType: "text/plain", headers });
      channel.ack(message);
    });
    await runtime.deploy(
      name,
      routed(
        name,
        `{to: "spring-rabbitmq:default?routingKey=${name}.ask&exchangePattern=InOut&${serverOptions()}"}, {setHeader: {name: seen, simple: "\${header.CamelSpringRabbitmqType}"}}, {to: "spring-rabbitmq:default?routingKey=${name}.out&exchangePattern=InOnly&${serverOptions()}"}`,
      ),
    );
    await queue(`${name}.in`);
    send(`${name}.in`, ["question"]);
    await expectEventually(() => out.texts.length + stolen.texts.length, 1);
    expect([out.texts, stolen.texts]).toEqual([["answer"], []]);
    expect(out.messages[0]?.properties.headers).toMatchObject({ answer: 42, seen: "reply" });
  });

  it("acknowledges a request whose reply cannot be built, and logs why", async () => {
    const name = uniqueName();
    await runtime.deploy(
      name,
      routed(name, `{setHeader: {name: CamelSpringRabbitmqPriority, constant: urgent}}, {log: "answered ${name}"}`, "&prefetchCount=5"),
    );
    await queue(`${name}.in`);
    send(`${name}.in`, numberedMessages(20), { replyTo: `${name}.replies` });
    await expectEventually(() => runtime.logText().split(`answered ${name}`).length - 1, 20);
    expect(runtime.logText()).toContain("cannot send the reply: header 'CamelSpringRabbitmqPriority' must be an integer from 0 to 255, not 'urgent'");
    await runtime.api("DELETE", `/flows/${name}`);
    expect(await countIn(`${name}.in`)).toBe(0);
  });

  it("retries failed messages, then dead-letters them unchanged", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await runtime.deploy(
      name,
      routed(name, `${sometimesFailingSteps}, {to: "spring-rabbitmq:default?routingKey=${name}.out&${serverOptions()}"}`, "&retryDelay=5"),
    );
    await queue(`${name}.in`);
    send(`${name}.in`, numberedMessages(50), { headers: { orderId: "7" } });
    await expectEventually(() => out.texts.length, 45);
    await expectEventually(async () => (await runtime.deadLetters(name)).length, 5);
    const deadLetters = await runtime.deadLetters(name);
    expect(deadLetters.map(({ body }) => body).toSorted()).toEqual([7, 17, 27, 37, 47].map((number) => `message ${number}`).toSorted());
    // The first attempt and five more.
    expect(deadLetters.map(({ attempts }) => attempts)).toEqual([6, 6, 6, 6, 6]);
    expect(out.texts).toEqual(numberedMessages(50).filter((text) => !text.endsWith("7")));
    await expectEventually(() => countIn(`${name}.in`), 0);
  });

  it("rejects failed messages to the dead-letter exchange of the queue", async () => {
    const name = uniqueName();
    await runtime.deploy(
      name,
      routed(
        name,
        `${sometimesFailingSteps}, {to: "log:out?level=OFF"}`,
        `&retryDelay=5&maximumRetryAttempts=1&deadLetterExchange=${name}.dlx&deadLetterQueue=${name}.dead&arg.dlq.queue.x-expires=60000`,
      ),
    );
    await expectEventually(() => runtime.routeStatus(name), "Started");
    queues.push(`${name}.in`, `${name}.dead`);
    send(`${name}.in`, numberedMessages(30));
    await expectEventually(() => countIn(`${name}.dead`), 3);
    expect(await runtime.deadLetters(name)).toEqual([]);
    await channel.deleteExchange(`${name}.dlx`);
  });

  it("stores the dead letters that the dead-letter queue would not receive", async () => {
    const name = uniqueName();
    const deadLetterOptions = `&maximumRetryAttempts=0&deadLetterExchange=${name}.dlx&deadLetterQueue=${name}.dead&arg.dlq.queue.x-expires=60000`;
    const route = (id: string, exchange: string, options: string): string =>
      `- route: {id: ${id}, from: {uri: "spring-rabbitmq:${exchange}?queues=${id}.in&${serverOptions()}${deadLetterOptions}${options}", steps: [{throwException: {exceptionType: java.io.IOException, message: broken}}]}}`;
    await queue(`${name}-b.in`);
    await runtime.deploy(`${name}-a`, route(`${name}-a`, name, "&exchangeType=topic&routingKey=orders.%23&arg.exchange.autoDelete=true"));
    await runtime.deploy(`${name}-b`, route(`${name}-b`, "default", "&skipDeclareQueue=true"));
    for (const id of [`${name}-a`, `${name}-b`]) await expectEventually(() => runtime.routeStatus(id), "Started");
    queues.push(`${name}-a.in`, `${name}.dead`);
    // The dead-letter queue is bound with the name of the queue and the pattern, not with 'orders.eu'.
    channel.publish(name, "orders.eu", Buffer.from("routed"), { contentType: "text/plain" });
    send(`${name}-a.in`, ["direct"]);
    send(`${name}-b.in`, ["foreign queue"]);
    await expectEventually(() => countIn(`${name}.dead`), 1);
    await expectEventually(async () => (await runtime.deadLetters(`${name}-a`)).map(({ body }) => body).join(), "routed");
    await expectEventually(async () => (await runtime.deadLetters(`${name}-b`)).map(({ body }) => body).join(), "foreign queue");
    await channel.deleteExchange(`${name}.dlx`);
  });

  it("returns failed messages to their queue with rejectAndDontRequeue=false", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await runtime.deploy(
      name,
      routed(
        name,
        `{choice: {when: [{simple: "\${header.CamelSpringRabbitmqRedelivered} == false", steps: [{throwException: {exceptionType: java.io.IOException, message: broken}}]}]}}, {to: "spring-rabbitmq:default?routingKey=${name}.out&${serverOptions()}"}`,
        "&retryDelay=5&maximumRetryAttempts=0&rejectAndDontRequeue=false",
      ),
    );
    await queue(`${name}.in`);
    send(`${name}.in`, numberedMessages(5));
    await expectEventually(() => out.texts.toSorted().join(), numberedMessages(5).join());
  });

  it("acknowledges after the run, prefetches no more than its window, and returns the rest when it stops", async () => {
    const name = uniqueName();
    const requests: ConsumeMessage[] = [];
    await channel.consume(await queue(`${name}.held`), (message) => void (message !== null && requests.push(message)), { noAck: true });
    await runtime.deploy(
      name,
      routed(name, `{to: "spring-rabbitmq:default?routingKey=${name}.held&exchangePattern=InOut&replyTimeout=60000&${serverOptions()}"}`, "&prefetchCount=5"),
    );
    await queue(`${name}.in`);
    send(`${name}.in`, numberedMessages(20));
    // The first message runs, four more were prefetched.
    await expectEventually(() => requests.length, 1);
    await expectEventually(() => countIn(`${name}.in`), 15);
    const removing = runtime.api("DELETE", `/flows/${name}`);
    await expectEventually(() => countIn(`${name}.in`), 19);
    const { replyTo, correlationId } = (requests[0] as ConsumeMessage).properties as { readonly replyTo: string; readonly correlationId: string };
    channel.sendToQueue(replyTo, Buffer.from("done"), { correlationId });
    await removing;
    expect([await countIn(`${name}.in`), requests.length]).toEqual([19, 1]);
  });

  it("loses no message when connections are dropped, inbound and outbound", async () => {
    const name = uniqueName();
    const count = 100;
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    const out = await received(`${name}.out`);
    await runtime.deploy(
      name,
      `- route: {id: ${name}, errorHandler: {defaultErrorHandler: {redeliveryPolicy: {maximumRedeliveries: 20, redeliveryDelay: 100}}}, from: {uri: "spring-rabbitmq:default?queues=${name}.in&prefetchCount=20&${serverOptions(link.port)}", steps: [{to: "spring-rabbitmq:default?routingKey=${name}.out&confirmTimeout=1000&${serverOptions(link.port)}"}]}}`,
    );
    await queue(`${name}.in`);
    send(`${name}.in`, numberedMessages(count));
    await waitForAllDespiteCuts(link, count, () => out.texts);
    await expectEventually(() => countIn(`${name}.in`), 0);
    expect(await runtime.deadLetters(name)).toEqual([]);
    await runtime.api("DELETE", `/flows/${name}`);
    await link.close();
  });

  it("starts while the server is down, reports it, and receives when it is up", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    await link.refuse();
    const out = await received(`${name}.out`);
    await expectFailedRoute(runtime, name, () =>
      runtime.deploy(
        name,
        `- route: {id: ${name}, from: {uri: "spring-rabbitmq:default?queues=${name}.in&${serverOptions(link.port)}", steps: [{to: "spring-rabbitmq:default?routingKey=${name}.out&${serverOptions()}"}]}}`,
      ),
    );
    await queue(`${name}.in`);
    send(`${name}.in`, ["back"]);
    await link.open();
    await expectEventually(() => runtime.routeStatus(name), "Started");
    await expectEventually(() => out.texts[0], "back");
    await runtime.api("DELETE", `/flows/${name}`);
    await link.close();
  });

  it("receives nothing with autoStartup=false", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await queue(`${name}.in`, { durable: true });
    await runtime.deploy(
      name,
      routed(name, `{to: "spring-rabbitmq:default?routingKey=${name}.out&${serverOptions()}&exchangePattern=InOnly"}`, "&autoStartup=false"),
    );
    send(`${name}.in`, ["x"]);
    await expectEventually(() => countIn(`${name}.in`), 1);
    expect([out.texts, (await channel.checkQueue(`${name}.in`)).consumerCount]).toEqual([[], 0]);
    await runtime.api("DELETE", `/flows/${name}`);
  });

  it("subscribes again when its queue is deleted", async () => {
    const name = uniqueName();
    const out = await received(`${name}.out`);
    await runtime.deploy(name, routed(name, `{to: "spring-rabbitmq:default?routingKey=${name}.out&${serverOptions()}"}`));
    await expectEventually(() => runtime.routeStatus(name), "Started");
    await channel.deleteQueue(`${name}.in`);
    await expectEventually(() => runtime.routeStatus(name), "Failed");
    await expectEventually(() => runtime.routeStatus(name), "Started");
    queues.push(`${name}.in`);
    send(`${name}.in`, ["again"]);
    await expectEventually(() => out.texts[0], "again");
  });

  it("never connects to a server named in a message", async () => {
    const name = uniqueName();
    const foreign = await FaultyLink.to({ host: "127.0.0.1", port });
    await runtime.deploy(
      name,
      routed(name, `{toD: "spring-rabbitmq:default?routingKey=x&hostname=127.0.0.1&portNumber=\${header.port}"}`, "&maximumRetryAttempts=0"),
    );
    await queue(`${name}.in`);
    send(`${name}.in`, ["lure"], { headers: { port: foreign.port } });
    await expectEventually(async () => (await runtime.deadLetters(name)).length, 1);
    expect(foreign.accepted).toBe(0);
    await foreign.close();
  });

  it("shows no password", async () => {
    const name = uniqueName();
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "spring-rabbitmq:default?queues=${name}.in&${serverOptions()}&username=guest&password=RAW(wr0ng-s3cret)", steps: [{log: in}]}}`,
    );
    await expectEventually(() => runtime.routeStatus(name), "Failed");
    const shown = JSON.stringify([(await runtime.api("GET", `/flows/${name}`)).json.routes, (await runtime.api("GET", "/health")).json]) + runtime.logText();
    expect(shown).toContain("ACCESS_REFUSED");
    expect(shown).not.toContain("wr0ng-s3cret");
    await runtime.api("DELETE", `/flows/${name}`);
  });
});
