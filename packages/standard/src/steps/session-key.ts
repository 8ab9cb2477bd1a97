import type { Exchange } from "@sluice/engine/spi";

/** The key under which a step remembers a message: what belongs to a test session never meets what does not, nor another session's. */
export function sessionKey({ run }: Exchange, key: string): string {
  return run.session === undefined ? key : `${run.session.id}\n${key}`;
}
