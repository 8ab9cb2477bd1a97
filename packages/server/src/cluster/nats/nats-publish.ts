// Stores messages of queues on JetStream.
import { ClusterError, isClusterError } from "@sluice/engine";
import { retryOperation } from "../retry-operation.ts";
import { messageIdHeader, storeFailed, storeLink, type NatsLink } from "./nats-link.ts";
import { attemptsHeader, isKeyedSubject, keyedAnnouncement } from "./nats-queue-message.ts";

export interface Publication {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Identifies this copy: a second one with the same id within two minutes is not stored. */
  readonly id: string;
  readonly attempts: number;
}

export async function publishQueued(link: NatsLink, { subject, data, id, attempts }: Publication): Promise<void> {
  const headers = link.transport.headers();
  if (attempts > 0) headers.set(attemptsHeader, String(attempts));
  headers.set(messageIdHeader, id);
  await retryOperation(storeLink(link), () => link.publisher.publish(subject, data, headers).catch(rethrowFull));
  if (isKeyedSubject(subject)) link.connection.publish(keyedAnnouncement(subject));
}

/** A full stream is reported with the status of a transient error; retrying would only delay the rejection. */
export function rethrowFull(error: unknown): never {
  if (storeFailed(error, "maximum bytes exceeded"))
    throw new ClusterError("full", "the queues of the cluster are full (SERVICE_QUEUE_BYTES)", { cause: error });
  throw error;
}

/** Repeats an operation until it succeeds, as long as this node is connected and the stream is not full. */
export async function retryWhileConnected(link: NatsLink, run: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await retryOperation(storeLink(link), run);
      return;
    } catch (error) {
      if (!isClusterError(error) || error.kind === "closed" || error.kind === "full") throw error;
    }
  }
}
