// The brokers that bench:connectors measures: the bare client of each, and the endpoint that does the same. Each round uses its own names.
// A case is `{count, round(name, count)}` with the usual number of messages, a multiple of 500. The round of a sink is `{send(n), to, steps}`, that of
// a source `{fill(side), consume(onFirst), from}`, where `consume` resolves with the number of messages after the first.
import { randomUUID } from "node:crypto";
import amqplib from "amqplib";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect as connectNats, headers } from "@nats-io/transport-node";
import kafkajs from "kafkajs";
import mqtt from "mqtt";
import rhea from "rhea";
import { encodeBody, kilobyte, sinkSteps, traceparent } from "./messages.mjs";

const timeoutMs = 120_000;

/** Resolves with the number of messages after the first, once `count` messages were received. */
function countMessages(count, onFirst, consume) {
  return new Promise((resolve, reject) => {
    let received = 0;
    const timer = setTimeout(() => reject(new Error(`the bare client received ${received} of ${count} messages within ${timeoutMs} ms`)), timeoutMs);
    const onMessage = () => {
      if (++received === 1) onFirst();
      if (received < count) return;
      clearTimeout(timer);
      resolve(count - 1);
    };
    Promise.resolve(consume(onMessage)).catch(reject);
  });
}

export const brokers = {
  rabbitmq: {
    server: "rabbitmq",
    connection: (port) => ({ type: "rabbitmq", values: { host: "127.0.0.1", port } }),
    async open(port) {
      const client = await amqplib.connect(`amqp://guest:guest@127.0.0.1:${port}`, { noDelay: true });
      const channel = await client.createConfirmChannel();
      // As in our sink: an unroutable message is returned and matched by its id.
      const publishOptions = () => ({
        persistent: true,
        mandatory: true,
        messageId: randomUUID(),
        contentType: "text/plain",
        contentEncoding: "UTF-8",
        headers: { traceparent },
      });
      const publish = (queue) =>
        new Promise((resolve, reject) => channel.sendToQueue(queue, encodeBody(), publishOptions(), (error) => (error ? reject(error) : resolve())));
      return {
        close: () => client.close(),
        cases: {
          send: {
            count: 5000,
            async round(name) {
              await channel.assertQueue(name, { durable: true });
              return {
                send: () => publish(name),
                steps: sinkSteps,
                to: `spring-rabbitmq:default?routingKey=${name}&exchangePattern=InOnly&connectionFactory=%23rabbitmq`,
              };
            },
          },
          receive: {
            count: 20_000,
            round: (name, count) => ({
              async fill(side) {
                await channel.assertQueue(`${name}${side}`, { durable: true });
                for (let n = 0; n < count; n++) channel.sendToQueue(`${name}${side}`, encodeBody(), { persistent: true });
                await channel.waitForConfirms();
              },
              async consume(onFirst) {
                const consumer = await client.createChannel();
                await consumer.prefetch(250);
                const received = await countMessages(count, onFirst, (onMessage) =>
                  consumer.consume(`${name}bare`, (message) => (message.content.toString(), consumer.ack(message), onMessage())),
                );
                await consumer.close();
                return received;
              },
              from: `spring-rabbitmq:default?queues=${name}sluice&arg.queue.durable=true&connectionFactory=%23rabbitmq`,
            }),
          },
        },
      };
    },
  },
  amqp: {
    server: "rabbitmq",
    connection: (port) => ({ type: "amqp", values: { url: `amqp://127.0.0.1:${port}`, username: "guest", password: "guest", queuePrefix: "/queue/" } }),
    async open(port) {
      const connection = rhea.create_container().connect({ host: "127.0.0.1", port, username: "guest", password: "guest", reconnect: false });
      // The same fields that JMS clients and our sink set.
      const jmsMessage = (queue, properties) => ({
        body: kilobyte,
        message_id: `ID:${randomUUID()}`,
        creation_time: Date.now(),
        durable: true,
        priority: 4,
        to: `/queue/${queue}`,
        application_properties: properties,
        message_annotations: { "x-opt-jms-msg-type": rhea.types.wrap_byte(5) },
      });
      const senderOf = (queue, properties) => {
        const sender = connection.open_sender({ target: { address: `/queue/${queue}`, durable: 2 } });
        // A hundred sends may wait for credit.
        sender.setMaxListeners(100);
        const pending = new Map();
        sender.on("accepted", ({ delivery }) => pending.get(delivery)?.());
        const whenSendable = () => (sender.sendable() ? undefined : new Promise((resolve) => sender.once("sendable", resolve)));
        return {
          async send() {
            while (!sender.sendable()) await whenSendable();
            await new Promise((resolve) => {
              const delivery = sender.send(jmsMessage(queue, properties));
              pending.set(delivery, () => (pending.delete(delivery), resolve()));
            });
          },
          close: () => sender.close(),
        };
      };
      return {
        // The server may end only after the connection: rhea reports a broken one as an error.
        close: () =>
          new Promise((resolve) => {
            connection.once("connection_close", resolve);
            connection.close();
          }),
        cases: {
          send: {
            count: 3000,
            round: (name) => ({
              send: senderOf(name, { traceparent }).send,
              steps: sinkSteps,
              to: `amqp:${name}?exchangePattern=InOnly&connectionFactory=%23amqp`,
            }),
          },
          receive: {
            count: 6000,
            round: (name, count) => ({
              async fill(side) {
                const sender = senderOf(`${name}${side}`, {});
                for (let n = 0; n < count; n += 100) await Promise.all(Array.from({ length: 100 }, sender.send));
                sender.close();
              },
              async consume(onFirst) {
                let receiver;
                const received = await countMessages(count, onFirst, (onMessage) => {
                  receiver = connection.open_receiver({ source: { address: `/queue/${name}bare`, durable: 2 }, credit_window: 100, autoaccept: false });
                  receiver.on("message", ({ delivery }) => (delivery.accept(), onMessage()));
                });
                receiver.close();
                return received;
              },
              from: `amqp:${name}sluice?connectionFactory=%23amqp`,
            }),
          },
        },
      };
    },
  },
  mqtt: {
    server: "mosquitto",
    connection: (port) => ({ type: "mqtt", values: { brokerUrl: `tcp://127.0.0.1:${port}` } }),
    async open(port) {
      const url = `mqtt://127.0.0.1:${port}`;
      const client = await mqtt.connectAsync(url, { protocolVersion: 5 });
      client.stream.setNoDelay(true);
      const sessionOptions = (clientId) => ({ protocolVersion: 5, clientId, clean: false, properties: { sessionExpiryInterval: 600 } });
      const subscribe = async (clientId, topic) => {
        const subscriber = await mqtt.connectAsync(url, sessionOptions(clientId));
        await subscriber.subscribeAsync(topic, { qos: 1 });
        await subscriber.endAsync();
      };
      return {
        close: () => client.endAsync(),
        cases: {
          send: {
            count: 20_000,
            round: (name) => ({
              send: () => client.publishAsync(name, encodeBody(), { qos: 1, properties: { userProperties: { traceparent } } }),
              steps: sinkSteps,
              to: `paho-mqtt5:${name}?qos=1&connection=%23mqtt`,
            }),
          },
          receive: {
            count: 20_000,
            round: (name, count) => ({
              async fill(side) {
                await subscribe(`${name}${side}`, `${name}/${side}`);
                let next = 0;
                // Not in groups: the broker's TCP stack delays the last acknowledgement of each group by 40 ms.
                const publish = async () => {
                  while (next++ < count) await client.publishAsync(`${name}/${side}`, encodeBody(), { qos: 1 });
                };
                await Promise.all(Array.from({ length: 50 }, publish));
              },
              async consume(onFirst) {
                let subscriber;
                const received = await countMessages(count, onFirst, (onMessage) => {
                  subscriber = mqtt.connect(url, sessionOptions(`${name}bare`));
                  // As in our source: otherwise the kernel delays acknowledgements.
                  subscriber.on("connect", () => subscriber.stream.setNoDelay(true));
                  subscriber.on("message", (topic, payload) => (payload.toString(), onMessage()));
                });
                await subscriber.endAsync();
                return received;
              },
              from: `paho-mqtt5:${name}/sluice?qos=1&cleanStart=false&sessionExpiryInterval=600&clientId=${name}sluice&connection=%23mqtt`,
            }),
          },
        },
      };
    },
  },
  nats: {
    server: "nats",
    connection: (port) => ({ type: "nats", values: { servers: `127.0.0.1:${port}` } }),
    async open(port) {
      const connection = await connectNats({ servers: `127.0.0.1:${port}` });
      const manager = await jetstreamManager(connection);
      const stream = jetstream(connection);
      const traceHeaders = () => {
        const sent = headers();
        sent.append("traceparent", traceparent);
        return sent;
      };
      return {
        close: () => connection.close(),
        cases: {
          send: {
            count: 10_000,
            async round(name) {
              await manager.streams.add({ name, subjects: [`${name}.>`] });
              return {
                // Our sink sets an id too, so that a retry is stored only once.
                send: () => stream.publish(`${name}.a`, encodeBody(), { msgID: randomUUID(), headers: traceHeaders() }),
                steps: sinkSteps,
                to: `nats:${name}.a?jetstreamEnabled=true&exchangePattern=InOnly&connection=%23nats`,
              };
            },
          },
          receive: {
            count: 20_000,
            async round(name, count) {
              await manager.streams.add({ name, subjects: [`${name}.>`] });
              return {
                async fill(side) {
                  for (let n = 0; n < count; n += 100) await Promise.all(Array.from({ length: 100 }, () => stream.publish(`${name}.${side}`, encodeBody())));
                },
                async consume(onFirst) {
                  await manager.consumers.add(name, { durable_name: "bare", ack_policy: "explicit", filter_subject: `${name}.bare` });
                  const consumer = await stream.consumers.get(name, "bare");
                  return countMessages(count, onFirst, async (onMessage) => {
                    let received = 0;
                    for await (const message of await consumer.consume({ max_messages: 500 })) {
                      message.string();
                      message.ack();
                      onMessage();
                      if (++received === count) break;
                    }
                  });
                },
                from: `nats:${name}.sluice?jetstreamEnabled=true&jetstreamName=${name}&pullBatchSize=500&poolSize=500&connection=%23nats`,
              };
            },
          },
        },
      };
    },
  },
  kafka: {
    server: "kafka",
    connection: (port) => ({ type: "kafka", values: { brokers: `127.0.0.1:${port}` } }),
    async open(port) {
      const kafka = new kafkajs.Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: kafkajs.logLevel.NOTHING });
      const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner, maxInFlightRequests: 5 });
      await producer.connect();
      const list = Array.from({ length: 500 }, () => kilobyte);
      // The mock broker keeps only 20 MB per topic; several topics hold more.
      const perTopic = 16_000;
      const topicsOf = (name, side, count) => Array.from({ length: Math.ceil(count / perTopic) }, (_, index) => `${name}${side}${index}`);
      const batch = (headers) => list.map((text) => ({ value: Buffer.from(text), headers }));
      return {
        close: () => producer.disconnect(),
        cases: {
          send: {
            count: 5000,
            round: (name) => ({
              // Both send 500 records with each request: the bare client as a batch, our route as a list of bodies.
              send: (n) => (n % 500 === 0 ? producer.send({ topic: name, acks: -1, messages: batch({ traceparent }) }) : undefined),
              list,
              steps: `{setProperty: {name: n, simple: "\${body}"}}, {setBody: {simple: "\${exchangeProperty.list}"}}`,
              to: `kafka:${name}?connection=%23kafka`,
            }),
          },
          receive: {
            count: 5 * perTopic,
            round: (name, count) => ({
              async fill(side) {
                const topics = topicsOf(name, side, count);
                for (let n = 0; n < count; n += 500) await producer.send({ topic: topics[(n / 500) % topics.length], messages: batch() });
              },
              async consume(onFirst) {
                const consumer = kafka.consumer({ groupId: name, maxWaitTimeInMs: 500 });
                await consumer.connect();
                await consumer.subscribe({ topics: topicsOf(name, "bare", count), fromBeginning: true });
                const received = await countMessages(count, onFirst, (onMessage) =>
                  consumer.run({
                    eachBatchAutoResolve: false,
                    // The client commits the offsets of processed records at the end of each batch.
                    autoCommit: true,
                    autoCommitInterval: 5000,
                    async eachBatch({ batch: { messages }, resolveOffset, heartbeat }) {
                      for (const { value, offset } of messages) {
                        value.toString();
                        resolveOffset(offset);
                        onMessage();
                      }
                      await heartbeat();
                    },
                  }),
                );
                await consumer.disconnect();
                return received;
              },
              from: `kafka:${topicsOf(name, "sluice", count).join(",")}?autoOffsetReset=earliest&groupId=${name}sluice&connection=%23kafka`,
            }),
          },
        },
      };
    },
  },
};
