// Stores messages of queues on JetStream.
import { ClusterError, isClusterError } from "@sluice/engine";
import { persist } from "../persist.ts";
import { attemptMs, storeLink, type NatsLink } from "./nats-link.ts";
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
  await persist(storeLink(link), () => link.js.publish(subject, data, { msgID: id, timeout: attemptMs, headers })).catch((error: unknown) => {
    throw fullError(error);
  });
  if (isKeyedSubject(subject)) link.connection.publish(keyedAnnouncement(subject));
}

/** The stream's limit is reached. */
export function fullError(error: unknown): unknown {
  return error instanceof Error && error.message.includes("maximum bytes exceeded")
    ? new ClusterError("full", "the queues of the cluster are full (SERVICE_QUEUE_BYTES)", { cause: error })
    : error;
}

/** Repeats an operation until it succeeds, as long as this node is connected. */
export async function persistEventually(link: NatsLink, run: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await persist(storeLink(link), run);
      return;
    } catch (error) {
      if (!isClusterError(error) || error.kind === "closed") throw error;
    }
  }
}
