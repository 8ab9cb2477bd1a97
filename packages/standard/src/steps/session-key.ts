import type { Exchange } from "@sluice/engine/spi";

/** Scopes a key to the test session of the message, so that test messages never share state with live ones. */
export function sessionKey({ run }: Exchange, key: string): string {
  return run.session === undefined ? key : `${run.session.id}\n${key}`;
}
