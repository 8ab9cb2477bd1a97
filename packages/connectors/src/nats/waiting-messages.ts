const maxMessages = 10_000;
const maxBytes = 16 * 1024 * 1024;
/** One warning is logged for this many dropped messages. */
const reportEvery = 1000;

interface Sized {
  readonly data: Uint8Array;
}

/** Bounded buffer of messages that wait for a route. When it is full, messages are dropped, because the server has no flow control. */
export class WaitingMessages<T extends Sized> {
  readonly #report: (problem: string) => void;
  #messages: T[] = [];
  #first = 0;
  #bytes = 0;
  #dropped = 0;

  constructor(report: (problem: string) => void) {
    this.#report = report;
  }

  get size(): number {
    return this.#messages.length - this.#first;
  }

  add(message: T): void {
    if (this.size < maxMessages && this.#bytes + message.data.byteLength <= maxBytes) {
      this.#messages.push(message);
      this.#bytes += message.data.byteLength;
      return;
    }
    if (this.#dropped++ % reportEvery === 0)
      this.#report(`the route is too slow: messages dropped so far: ${this.#dropped}, waiting: ${this.size}; use JetStream, which stores messages`);
  }

  take(): T | undefined {
    if (this.size === 0) return undefined;
    const message = this.#messages[this.#first] as T;
    this.#first++;
    this.#bytes -= message.data.byteLength;
    // Shifting for each message would move the whole array.
    if (this.#first >= 1000 && this.#first * 2 >= this.#messages.length) {
      this.#messages = this.#messages.slice(this.#first);
      this.#first = 0;
    }
    return message;
  }
}
