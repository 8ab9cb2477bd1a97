// Consumes queues; each message is acknowledged when its run is done.
import type { Channel } from "amqplib";
import { toFlowError, type Connection, type Endpoint, type Source, type SourceInput } from "@sluice/engine/spi";
import { routeName } from "../messaging/incoming.ts";
import { dedicatedLink } from "../reconnecting/dedicated-link.ts";
import { whileConnected, type Subscription } from "../reconnecting/while-connected.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { DeclaredElements, queueNames } from "./declared-elements.ts";
import { QueueConsumer, type QueueParts } from "./queue-consumer.ts";
import type { RabbitClient } from "./rabbitmq-connection.ts";
import { rabbitError } from "./rabbitmq-error.ts";
import type { RabbitOptions } from "./rabbitmq-options.ts";

/** A channel of a source, and the callback that reports its loss. */
interface OpenChannel {
  readonly channel: Channel;
  isOpen: boolean;
  reportLost(problem: string): void;
}

export function rabbitSource(endpoint: Endpoint<RabbitOptions>, shared: Connection<RabbitClient>, parts: Pick<QueueParts, "host" | "deadLetters">): Source {
  const { options, uri } = endpoint;
  const { host } = parts;
  const elements = new DeclaredElements(endpoint);
  const log = (problem: unknown): void => host.log.write("DEBUG", "sluice.rabbitmq", `${uri}: ${String(problem)}`);
  const connection = dedicatedLink<RabbitClient, OpenChannel>(shared, {
    async open(client, reportLost) {
      const channel = await client.createChannel();
      const openChannel: OpenChannel = { channel, isOpen: true, reportLost };
      let problem = "the server closed the channel";
      channel.on("error", (error: Error) => void (problem = error.message));
      channel.on("close", () => {
        openChannel.isOpen = false;
        reportLost(problem);
      });
      return openChannel;
    },
    async close(openChannel) {
      if (!openChannel.isOpen) return;
      openChannel.isOpen = false;
      await openChannel.channel.close();
    },
    failed: log,
  });

  const begin = async (openChannel: OpenChannel, routeInput: SourceInput): Promise<Subscription> => {
    const { channel } = openChannel;
    const configured = queueNames(options);
    const queues = configured.length === 0 ? [routeName(routeInput.route)] : configured;
    const acknowledgements = new Acknowledgements({
      channel,
      isOpen: () => openChannel.isOpen,
      failed: (error) => host.log.write("ERROR", "sluice.rabbitmq", `${uri}: messages could not be acknowledged: ${toFlowError(error).message}`),
    });
    const consumers: { readonly tag: string; readonly consumer: QueueConsumer }[] = [];
    try {
      if (elements.isDeclaredBySource) await elements.declare(channel, queues);
      await channel.prefetch(options.prefetchCount);
      for (const queue of queues) {
        const consumer = new QueueConsumer(channel, routeInput, {
          ...parts,
          uri,
          options,
          isDeadLettered: (routingKey) => elements.isDeadLettered(routingKey, queues),
          acknowledgements,
          isOpen: () => openChannel.isOpen,
        });
        const { consumerTag: tag } = await channel.consume(
          queue,
          (message) => {
            // A null message means that the server cancelled the consumer, because its queue was deleted.
            if (message === null) openChannel.reportLost(`queue '${queue}' was deleted`);
            else consumer.take(message);
          },
          { exclusive: options.exclusive, arguments: elements.consumerArguments },
        );
        consumers.push({ tag, consumer });
      }
    } catch (error) {
      throw rabbitError(error, `'${queues.join(",")}'`);
    }
    return {
      async stop() {
        if (openChannel.isOpen) await Promise.all(consumers.map(({ tag }) => channel.cancel(tag))).catch(log);
        await Promise.all(consumers.map(({ consumer }) => consumer.stop()));
        // The channel may be closed before the end of the tick.
        acknowledgements.flush();
      },
    };
  };

  const running = whileConnected({ connection, host, begin });
  return {
    claims: [],
    exclusive: true,
    everyWorker: true,
    async start(routeInput) {
      if (options.testConnectionOnStartup) await shared.client();
      if (options.autoStartup) await running.start(routeInput);
    },
    stop: () => running.stop(),
  };
}
