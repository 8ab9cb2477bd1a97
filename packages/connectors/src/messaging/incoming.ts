// Behavior shared by all sources of broker messages.
import { Headers, Message, type Clock, type Delivery, type Host } from "@sluice/engine/spi";
import { TraceIds } from "../webhook/trace-context.ts";
import { internalName } from "./outgoing.ts";
import type { AddedHeaders } from "./source-headers.ts";

/** Creates a message. `wire` contains the received headers, if any, and `added` those of the connector. */
export function brokerMessage(body: unknown, wire: Readonly<Record<string, unknown>> | undefined, added: AddedHeaders): Message {
  return new Message(body, new Headers(wire === undefined ? undefined : { entries: () => Object.entries(wire), forward: true }, added));
}

/** Replaces the body with that of a reply and adds its headers, except received ones with names that the runtime uses internally. */
export function applyReply(message: Message, reply: Message): void {
  message.body = reply.body;
  const added = new Map(reply.headers.own());
  for (const [name, value] of reply.headers)
    if (added.has(name)) message.headers.set(name, value);
    else if (!internalName.test(name)) message.headers.setReceived(name, value);
}

/** Continues the trace named in a message; all messages without a trace share the same `Delivery`. */
export function traceReader(host: Host): (delivery: Delivery, traceparent: unknown) => Delivery {
  const ids = new TraceIds(() => host.random());
  return (delivery, traceparent) => (typeof traceparent === "string" ? { ...delivery, trace: ids.contextOf(traceparent) } : delivery);
}

/** Delays that end early when their source stops. */
export class CancellableDelays {
  readonly #clock: Clock;
  readonly #ends = new Set<() => void>();
  #isOver = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  wait(ms: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#ends.delete(end);
        resolve();
      };
      const cancel = this.#clock.after(ms, end);
      this.#ends.add(end);
    });
  }

  end(): void {
    this.#isOver = true;
    for (const end of this.#ends) end();
  }
}

/** Calls `work` every `ms` until the returned function is called. */
export function every(clock: Clock, ms: number, work: () => void): () => void {
  let cancel = (): void => undefined;
  const next = (): void => {
    cancel = clock.after(ms, () => {
      work();
      next();
    });
  };
  next();
  return () => cancel();
}

/** A stable name for a route at a broker, with characters that every broker accepts. */
export function routeName({ flowId, id }: { readonly flowId: string; readonly id: string }): string {
  return `sluice-${flowId}-${id}`.replaceAll(/[^\w-]/g, "_");
}

/** Resolves with the promise, or rejects with the error of `timeoutError` after `ms`. The promise itself is not cancelled. */
export function withTimeout<T>(clock: Clock, ms: number, pending: Promise<T>, timeoutError: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(timeoutError()));
    pending.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
