import { HeldBytes } from "./held-bytes.ts";
import { Inflation } from "./inflation.ts";
import { UnsentReplies } from "./unsent-replies.ts";

/** Memory used by requests and replies in this process. */
export interface HttpBytes {
  readonly held: HeldBytes;
  readonly inflation: Inflation;
  readonly unsent: UnsentReplies;
}

/** Request bodies may use `limit` bytes, unsent replies half of it. */
export function createHttpBytes(limit: number): HttpBytes {
  const held = new HeldBytes(limit);
  return { held, inflation: new Inflation(held), unsent: new UnsentReplies(limit / 2) };
}

/** Values for health, metrics and other workers. */
export interface HttpByteMetrics {
  readonly bodyBytesHeld: number;
  readonly bodyBytesLimit: number;
  readonly bodiesRefused: number;
  readonly replyBytesUnsent: number;
  readonly slowReadersCut: number;
}

export function httpByteMetrics({ held, unsent }: HttpBytes): HttpByteMetrics {
  return { bodyBytesHeld: held.held, bodyBytesLimit: held.limit, bodiesRefused: held.refused, replyBytesUnsent: unsent.bytes, slowReadersCut: unsent.cut };
}

/** The sum over several workers. */
export function addHttpByteMetrics(metrics: readonly HttpByteMetrics[]): HttpByteMetrics {
  const sum = (name: keyof HttpByteMetrics): number => metrics.reduce((total, worker) => total + worker[name], 0);
  return {
    bodyBytesHeld: sum("bodyBytesHeld"),
    bodyBytesLimit: sum("bodyBytesLimit"),
    bodiesRefused: sum("bodiesRefused"),
    replyBytesUnsent: sum("replyBytesUnsent"),
    slowReadersCut: sum("slowReadersCut"),
  };
}
