// Calls between the processes of a service. Everybody speaks to the supervisor, which hands on what is for others; each call is
// answered or fails, also when the one who was asked is gone.

/** The supervisor itself, whoever leads at the moment, or a worker by its number. */
export type Address = "supervisor" | "lead" | number;

export interface CallMessage {
  readonly to: Address;
  readonly from: Address;
  readonly name: string;
  /** Undefined when no answer is expected. */
  readonly call: number | undefined;
  readonly data: unknown;
}

interface AnswerMessage {
  readonly to: Address;
  readonly from: Address;
  readonly answer: number;
  readonly data?: unknown;
  readonly fault?: CallFault;
}

/** An error on its way to another process. */
export interface CallFault {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
}

export type Envelope = CallMessage | AnswerMessage;

/**
 * A call that was not answered with a result; `name` and `code` are those of the error at the other end. Of our own codes, `gone`: the
 * process has ended; `absent`: it does not answer such calls yet; `late`: it did not answer in time.
 */
export class CallError extends Error {
  readonly code: string | undefined;

  constructor({ name, message, code }: CallFault) {
    super(message);
    this.name = name;
    this.code = code;
  }
}

export type Handler = (data: any, from: Address) => unknown;

interface Pending {
  readonly to: Address;
  resolve(data: unknown): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout;
}

const standardTimeoutMs = 30_000;

export class Calls {
  readonly #self: Address;
  readonly #send: (message: Envelope) => void;
  readonly #handlers = new Map<string, Handler>();
  readonly #pending = new Map<number, Pending>();
  #next = 0;

  constructor(self: Address, send: (message: Envelope) => void) {
    this.#self = self;
    this.#send = send;
  }

  /** Answers calls of this name from now on. */
  on(name: string, handler: Handler): void {
    this.#handlers.set(name, handler);
  }

  call<T = unknown>(to: Address, name: string, data: unknown = undefined, timeoutMs = standardTimeoutMs): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const call = ++this.#next;
      const timer = setTimeout(
        () => this.#fail(call, { name: "CallError", message: `no answer to '${name}' within ${timeoutMs} ms`, code: "late" }),
        timeoutMs,
      );
      this.#pending.set(call, { to, resolve: resolve as (data: unknown) => void, reject, timer });
      this.#send({ to, from: this.#self, name, call, data });
    });
  }

  /** Says something that needs no answer. */
  tell(to: Address, name: string, data: unknown): void {
    this.#send({ to, from: this.#self, name, call: undefined, data });
  }

  receive(message: Envelope): void {
    if ("answer" in message) {
      const { answer, data, fault } = message;
      if (fault !== undefined) this.#fail(answer, fault);
      else this.#take(answer)?.resolve(data);
    } else void this.#answer(message);
  }

  /** Nobody is at this address any more: what was asked there fails. */
  gone(address: Address): void {
    for (const [call, { to }] of this.#pending)
      if (to === address) this.#fail(call, { name: "CallError", message: "the process that was asked has ended", code: "gone" });
  }

  async #answer({ from, name, call, data }: CallMessage): Promise<void> {
    const reply = (result: Pick<AnswerMessage, "data" | "fault">): void => {
      if (call !== undefined) this.#send({ to: from, from: this.#self, answer: call, ...result });
    };
    try {
      const handler = this.#handlers.get(name);
      if (handler === undefined) throw new CallError({ name: CallError.name, message: `nobody answers to '${name}' here`, code: "absent" });
      reply({ data: await handler(data, from) });
    } catch (error) {
      const { name: kind, message, code } = error as NodeJS.ErrnoException;
      reply({ fault: { name: kind, message, code } });
    }
  }

  #take(call: number): Pending | undefined {
    const pending = this.#pending.get(call);
    this.#pending.delete(call);
    clearTimeout(pending?.timer);
    return pending;
  }

  #fail(call: number, fault: CallFault): void {
    this.#take(call)?.reject(new CallError(fault));
  }
}
