import { expect, it } from "vitest";
import { bindEndpoint } from "@sluice/model";
import { amqpConnector } from "./amqp.ts";

it.each([
  ["jms:queue:orders?concurentConsumer=2", "endpoint 'jms' has no option 'concurentConsumer' (did you mean 'concurrentConsumers'?)"],
  ["amqp:orders?consumers=2", "endpoint 'amqp' has no option 'consumers' (did you mean 'concurrentConsumers'?)"],
  ["activemq:orders?persistent=true", "endpoint 'activemq' has no option 'persistent' (did you mean 'deliveryPersistent'?)"],
  ["activemq6:orders?durable=true", "endpoint 'activemq6' has no option 'durable' (did you mean 'subscriptionDurable'?)"],
])("suggests an option for %s", (uri, message) => {
  expect(bindEndpoint({ uri, parameters: {} }, amqpConnector()).problems.map((problem) => problem.message)).toEqual([message]);
});

it("lists complete option names when none is similar", () => {
  const [problem] = bindEndpoint({ uri: "jms:orders?brokerURL=x", parameters: {} }, amqpConnector()).problems;
  expect(problem?.hint).toMatch(/^allowed: (?:\w+, )*\w+ and \d+ more$/);
});

it("rejects a correlation property that would change the selector of the reply queue", () => {
  const connector = amqpConnector();
  const { sink } = connector.connect({} as never, {} as never);
  const uri = "jms:orders?correlationProperty=";
  const createSink = (name: string) => () =>
    sink?.({ options: bindEndpoint({ uri: uri + name, parameters: {} }, connector).values } as never, { connection: () => undefined } as never);
  for (const name of ["my-id", "a OR b", "1a"]) expect(createSink(name)).toThrow(`correlationProperty '${name}' is not a valid property name`);
  expect(createSink("requestId")).not.toThrow();
});
