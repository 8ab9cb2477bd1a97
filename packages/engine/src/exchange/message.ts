import { Headers } from "./headers.ts";

// A plug-in may bundle its own copy of this class, so recognize it by this symbol instead of `instanceof`.
const brand: unique symbol = Symbol.for("sluice.Message");

/** A body of any type and its headers. */
export class Message {
  body: unknown;
  headers: Headers;

  constructor(body: unknown, headers: Headers = new Headers()) {
    this.body = body;
    this.headers = headers;
  }

  /**
   * A message received from another system. Its headers are readable like any others, but untrusted: they never control the
   * engine or a sink. They are forwarded only with `forward`, which is meant for broker messages.
   */
  static received(body: unknown, headers: Readonly<Record<string, unknown>> = {}, { forward = false }: { readonly forward?: boolean } = {}): Message {
    return new Message(body, new Headers({ entries: () => Object.entries(headers), forward }));
  }

  /** A shallow copy: the body is shared, the headers are independent. */
  copy(): Message {
    return new Message(this.body, this.headers.copy());
  }

  get [brand](): true {
    return true;
  }
}

/** True for a Message of any copy of this package. */
export function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && brand in value;
}
