// Acknowledges the messages of a channel. Those that are done in the same tick share one frame if no earlier message is in progress: the frame
// covers all messages up to its delivery tag.
import type { Channel, ConsumeMessage } from "amqplib";

export interface AcknowledgementParts {
  readonly channel: Pick<Channel, "ack" | "nack">;
  /** False once the channel is closed: nothing can be settled on it, and the server redelivers. */
  isOpen(): boolean;
  /** Called when the client rejects acknowledgements, as it does while its connection is being closed. The server redelivers the messages. */
  failed(error: unknown): void;
}

export class Acknowledgements {
  readonly #parts: AcknowledgementParts;
  /** Delivery tags of messages in progress. They are added in ascending order, so the first is the lowest. */
  readonly #unsettled = new Set<number>();
  #done: ConsumeMessage[] = [];

  constructor(parts: AcknowledgementParts) {
    this.#parts = parts;
  }

  /** Call this for every message of the channel, in the order of their arrival. */
  received({ fields }: ConsumeMessage): void {
    this.#unsettled.add(fields.deliveryTag);
  }

  /** Acknowledges a message at the end of this tick. */
  acknowledge(message: ConsumeMessage): void {
    this.#unsettled.delete(message.fields.deliveryTag);
    if (this.#done.push(message) === 1) process.nextTick(() => this.flush());
  }

  /** Returns a message to its queue, or rejects it. */
  reject(message: ConsumeMessage, isRequeued: boolean): void {
    this.#unsettled.delete(message.fields.deliveryTag);
    if (this.#parts.isOpen()) this.#parts.channel.nack(message, false, isRequeued);
  }

  /** Sends the acknowledgements that wait for the end of the tick. Never throws. */
  flush(): void {
    const done = this.#done;
    this.#done = [];
    if (done.length === 0 || !this.#parts.isOpen()) return;
    try {
      this.#send(done);
    } catch (error) {
      this.#parts.failed(error);
    }
  }

  #send(done: readonly ConsumeMessage[]): void {
    const { channel } = this.#parts;
    const [oldest = Number.POSITIVE_INFINITY] = this.#unsettled;
    let last: ConsumeMessage | undefined;
    let covered = 0;
    for (const message of done) {
      const { deliveryTag } = message.fields;
      if (deliveryTag > oldest) {
        channel.ack(message);
        continue;
      }
      covered++;
      if (last === undefined || deliveryTag > last.fields.deliveryTag) last = message;
    }
    if (last !== undefined) channel.ack(last, covered > 1);
  }
}
