// How options and beans are read.
import { describe, expect, it } from "vitest";
import type { BeanForm } from "@sluice/engine/spi";
import { bindEndpoint } from "@sluice/model";
import { DeclaredElements, queueNames } from "./declared-elements.ts";
import { rabbitmqConnection } from "./rabbitmq-connection.ts";
import { springRabbitmqConnector } from "./spring-rabbitmq.ts";
import type { RabbitOptions } from "./rabbitmq-options.ts";

const declaration = springRabbitmqConnector();

describe("options of spring-rabbitmq", () => {
  const bound = (uri: string) => bindEndpoint({ uri, parameters: {} }, declaration);
  const elementsOf = (uri: string) => {
    const { values, extra } = bound(uri);
    return new DeclaredElements({
      scheme: uri.slice(0, uri.indexOf(":")),
      uri,
      path: "",
      options: values as RabbitOptions,
      extra,
      trusted: true,
      authored: true,
    });
  };
  /** Records the calls an endpoint makes on a channel. */
  const declared = async (uri: string): Promise<unknown[][]> => {
    const calls: unknown[][] = [];
    const channel = new Proxy(
      {},
      {
        get:
          (_target, name) =>
          async (...args: unknown[]) =>
            void calls.push([name, ...args]),
      },
    );
    await elementsOf(uri).declare(channel as never, queueNames(bound(uri).values as RabbitOptions));
    return calls;
  };

  it("declares exchange, queues and bindings with the arguments of each", async () => {
    expect(
      await declared(
        "spring-rabbitmq:shop?queues=a,b&routingKey=k&exchangeType=headers&arg.queue.durable=true&arg.queue.x-max-length=10&arg.exchange.autoDelete=true&arg.binding.x-match=all&arg.binding.count=1",
      ),
    ).toEqual([
      ["assertExchange", "shop", "headers", { durable: true, autoDelete: true, arguments: {} }],
      ["assertQueue", "a", { durable: true, autoDelete: false, exclusive: false, arguments: { "x-max-length": 10 } }],
      ["bindQueue", "a", "shop", "k", { "x-match": "all", count: "1" }],
      ["assertQueue", "b", { durable: true, autoDelete: false, exclusive: false, arguments: { "x-max-length": 10 } }],
      ["bindQueue", "b", "shop", "k", { "x-match": "all", count: "1" }],
    ]);
  });

  it("reads arguments from the JSON object in args", async () => {
    const args = encodeURIComponent('{"queue.x-max-length":10,"queue.durable":true,"exchange.autoDelete":true}');
    expect(await declared(`spring-rabbitmq:shop?queues=a&args=${args}&arg.queue.x-max-length=20`)).toMatchObject([
      ["assertExchange", "shop", "direct", { autoDelete: true }],
      ["assertQueue", "a", { durable: true, arguments: { "x-max-length": 20 } }],
      ["bindQueue", "a", "shop", "", {}],
    ]);
    for (const invalid of ["queue.durable", "[]", '{"a":{}}', "null"])
      expect(() => elementsOf(`spring-rabbitmq:shop?args=${encodeURIComponent(invalid)}`), invalid).toThrow("option 'args' is not a JSON object");
  });

  it("binds a dead-letter queue with the routing keys of rejected messages", async () => {
    const calls = await declared("spring-rabbitmq:default?queues=a&deadLetterExchange=dlx&deadLetterQueue=dead");
    expect(calls.filter(([name]) => name === "bindQueue")).toEqual([
      ["bindQueue", "dead", "dlx", "", {}],
      ["bindQueue", "dead", "dlx", "a", {}],
    ]);
    expect(calls.at(-1)).toMatchObject(["assertQueue", "a", { arguments: { "x-dead-letter-exchange": "dlx" } }]);
  });

  it("reads the options of Camel 3", async () => {
    expect(await declared("rabbitmq:shop?queue=a&routingKey=k&autoDelete=false")).toMatchObject([
      ["assertExchange", "shop", "direct", { durable: true, autoDelete: false }],
      ["assertQueue", "a", { durable: true, autoDelete: false }],
      ["bindQueue", "a", "shop", "k", {}],
    ]);
  });

  it("rejects misspelled options although arg.* accepts any name", () => {
    expect(bound("spring-rabbitmq:shop?queus=a&argument=b").problems.map(({ code }) => code)).toEqual(["endpoint-option-unknown", "endpoint-option-unknown"]);
  });

  it("masks the user name and the password in the URI", () => {
    expect(bound("rabbitmq:shop?hostname=h&username=u5er&password=s3cret").uri).not.toMatch(/s3cret|u5er/);
  });
});

describe("a bean of Spring's connection factory", () => {
  const [form] = rabbitmqConnection.beans as readonly [BeanForm];
  const fields = (properties: Readonly<Record<string, string>>) => form.fields(properties, form.names[0] as string);

  it("describes the connection", () => {
    expect(fields({ host: "h", virtualHost: "/shop", requestedHeartBeat: "10", channelCacheSize: "5", "rabbitConnectionFactory.username": "u" })).toEqual({
      host: "h",
      vhost: "/shop",
      heartbeat: "10s",
      username: "u",
    });
  });

  it("is rejected with an unsupported property", () => {
    expect(() => fields({ executor: "#pool" })).toThrow("property 'executor'");
  });
});
