// Behaviour shared by all sources of broker messages.
import { Message, type Clock, type Host, type TraceContext } from "@sluice/engine/spi";
import { TraceIds } from "../webhook/trace-context.ts";

/** Creates a message: `wire` contains the received headers, `own` those added by the connector. */
export function brokerMessage(body: unknown, wire: Readonly<Record<string, unknown>>, own: Readonly<Record<string, unknown>>): Message {
  const message = Message.received(body, wire, { forward: true });
  for (const [name, value] of Object.entries(own)) if (value !== undefined) message.headers.set(name, value);
  return message;
}

/** Continues the trace named in a message. */
export function traceReader(host: Host): (traceparent: unknown) => { readonly trace: TraceContext } | undefined {
  const ids = new TraceIds(() => host.random());
  return (traceparent) => (typeof traceparent === "string" ? { trace: ids.contextOf(traceparent) } : undefined);
}

/** Delays that end early when their source stops. */
export class StoppableWaits {
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

/** Resolves with the promise, or rejects with `late()` after `ms`. The promise itself is not cancelled. */
export async function within<T>(clock: Clock, ms: number, pending: Promise<T>, late: () => Error): Promise<T> {
  let cancel = (): void => undefined;
  try {
    return await Promise.race([pending, new Promise<never>((_resolve, reject) => (cancel = clock.after(ms, () => reject(late()))))]);
  } finally {
    cancel();
  }
}
