// Request/response calls between the processes of a service. All messages go through the supervisor, which routes them. Every call
// settles: with a result, an error, a timeout, or a failure when the callee exits.

/** The supervisor, the current leader, or a worker by its number. */
export type Address = "supervisor" | "leader" | number;

export interface CallMessage {
  readonly to: Address;
  readonly from: Address;
  readonly name: string;
  /** Undefined when no response is expected. */
  readonly call: number | undefined;
  readonly data: unknown;
}

interface ResponseMessage {
  readonly to: Address;
  readonly from: Address;
  /** The number of the call. */
  readonly response: number;
  readonly data?: unknown;
  readonly fault?: CallFault;
}

/** An error in serializable form. */
export interface CallFault {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly target?: SystemCallTarget;
}

/** The address, port, path or host name of a failed system call, as reported by Node. */
interface SystemCallTarget {
  readonly address?: string;
  readonly port?: number;
  readonly path?: string;
  readonly hostname?: string;
}

export type Envelope = CallMessage | ResponseMessage;

/**
 * A failed call. `name`, `code` and the target of a failed system call are copied from the remote error. Additional codes: `exited`: the process has
 * exited; `unhandled`: it does not handle this call yet; `timeout`: it did not respond in time.
 */
export class CallError extends Error {
  readonly code: string | undefined;

  constructor({ name, message, code, target }: CallFault) {
    super(message);
    this.name = name;
    this.code = code;
    Object.assign(this, target);
  }
}

export type Handler = (data: any, from: Address) => unknown;

interface Pending {
  readonly to: Address;
  resolve(data: unknown): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout;
}

const defaultTimeoutMs = 30_000;

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

  /** Registers the handler for calls of this name. */
  on(name: string, handler: Handler): void {
    this.#handlers.set(name, handler);
  }

  call<T = unknown>(to: Address, name: string, data?: unknown, timeoutMs = defaultTimeoutMs): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const call = ++this.#next;
      const timer = setTimeout(
        () => this.#fail(call, { name: "CallError", message: `no response to '${name}' within ${timeoutMs} ms`, code: "timeout" }),
        timeoutMs,
      );
      this.#pending.set(call, { to, resolve, reject, timer });
      this.#send({ to, from: this.#self, name, call, data });
    });
  }

  /** Sends a one-way message. */
  notify(to: Address, name: string, data: unknown): void {
    this.#send({ to, from: this.#self, name, call: undefined, data });
  }

  receive(message: Envelope): void {
    if ("response" in message) {
      const { response: call, data, fault } = message;
      if (fault !== undefined) this.#fail(call, fault);
      else this.#removePending(call)?.resolve(data);
    } else void this.#respond(message);
  }

  /** Fails all pending calls to an address whose process has exited. */
  failPending(address: Address): void {
    for (const [call, { to }] of this.#pending)
      if (to === address) this.#fail(call, { name: "CallError", message: "the worker process has exited", code: "exited" });
  }

  async #respond({ from, name, call, data }: CallMessage): Promise<void> {
    const send = (result: Pick<ResponseMessage, "data" | "fault">): void => {
      if (call !== undefined) this.#send({ to: from, from: this.#self, response: call, ...result });
    };
    try {
      const handler = this.#handlers.get(name);
      if (handler === undefined) throw new CallError({ name: CallError.name, message: `no handler for '${name}'`, code: "unhandled" });
      send({ data: await handler(data, from) });
    } catch (error) {
      const { name: kind, message, code, address, port, path, hostname } = error as NodeJS.ErrnoException & SystemCallTarget;
      send({ fault: { name: kind, message, code, target: { address, port, path, hostname } } });
    }
  }

  #removePending(call: number): Pending | undefined {
    const pending = this.#pending.get(call);
    this.#pending.delete(call);
    clearTimeout(pending?.timer);
    return pending;
  }

  #fail(call: number, fault: CallFault): void {
    this.#removePending(call)?.reject(new CallError(fault));
  }
}
