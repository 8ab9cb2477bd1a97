import { connect, type Socket } from "node:net";
import { FlowError, type Exchange, type Host, type Sink } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { LineSplitter } from "./line-splitter.ts";
import type { LineOptions } from "./line.ts";

/** Sends the body as one line over a connection that is kept open, and waits for one line as the reply. */
export function lineSink(options: LineOptions, host: Host): Sink {
  let link: Link | undefined;
  return {
    async send(exchange) {
      const text = lineOf(exchange);
      if (link === undefined || link.isClosed) link = new Link(options, host);
      const reply = await link.send(text);
      if (reply !== undefined) exchange.message.body = reply;
    },
    stop() {
      link?.close("the route was stopped");
      link = undefined;
    },
  };
}

/** The partner would read a body with a line break as two messages. */
function lineOf({ message }: Exchange): string {
  const text = asText(message.body);
  if (!/[\r\n]/.test(text)) return text;
  throw new FlowError("java.lang.IllegalArgumentException", "the body has more than one line: split it first", { code: "line-break" });
}

interface PendingRequest {
  resolve(reply: string | undefined): void;
  fail(failure: FlowError): void;
}

/** One TCP connection. Replies arrive in the order of the sent lines. */
class Link {
  readonly #socket: Socket;
  readonly #options: LineOptions;
  readonly #host: Host;
  readonly #pending: PendingRequest[] = [];

  constructor(options: LineOptions, host: Host) {
    this.#options = options;
    this.#host = host;
    const splitter = new LineSplitter(options.maxLine);
    this.#socket = connect({ host: options.host, port: options.port, noDelay: true });
    this.#socket.on("data", (chunk: Uint8Array) => {
      try {
        for (const line of splitter.push(chunk)) this.#pending.shift()?.resolve(line);
      } catch (error) {
        this.close((error as Error).message);
      }
    });
    this.#socket.on("error", (error) => this.close(error.message));
    this.#socket.on("close", () => this.close("the partner closed the connection"));
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  send(text: string): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      // After a timeout the connection is closed: a late reply would be matched to another line.
      const cancel = this.#host.clock.after(this.#options.timeout, () => this.close(`no reply within ${this.#options.timeout} ms`));
      const request: PendingRequest = {
        resolve: (reply) => (cancel(), resolve(reply)),
        fail: (failure) => (cancel(), reject(failure)),
      };
      this.#pending.push(request);
      this.#socket.write(`${text}\n`, () => {
        if (!this.#options.reply && this.#remove(request)) request.resolve(undefined);
      });
    });
  }

  /** Fails pending requests. The failure is retryable: a later attempt reconnects. */
  close(problem: string): void {
    this.#socket.destroy();
    const { host, port } = this.#options;
    for (const { fail } of this.#pending.splice(0))
      fail(new FlowError("line.LineException", `${host}:${port}: ${problem}`, { code: "line-failed", retryable: true }));
  }

  #remove(request: PendingRequest): boolean {
    const at = this.#pending.indexOf(request);
    if (at >= 0) this.#pending.splice(at, 1);
    return at >= 0;
  }
}
