import { createServer, type Server, type Socket } from "node:net";
import { FlowError, Message, settlementOf, type Host, type Source, type SourceInput } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { LineSplitter } from "./line-splitter.ts";
import type { LineOptions } from "./line.ts";

/** Listens on a port; each line is a message. Each connection has one message in flight at a time, which applies back-pressure. */
export function lineSource(options: LineOptions, uri: string, host: Host): Source {
  let server: Server | undefined;
  let senders = new Set<Sender>();
  return {
    claims: options.port === 0 ? [] : [`tcp ${options.host}:${options.port}`],
    // Two versions of a route cannot listen on the same port.
    exclusive: true,
    async start(routeInput) {
      const connected = (senders = new Set<Sender>());
      server = await listen(options, (socket) => {
        const sender = new Sender(socket, { routeInput, options, uri, host });
        connected.add(sender);
        socket.once("close", () => connected.delete(sender));
      });
    },
    async stop() {
      server?.close();
      server = undefined;
      await Promise.all([...senders].map((sender) => sender.stop()));
    },
    abandon() {
      const abandoned = [...senders].filter(({ isBusy }) => isBusy).length;
      for (const sender of senders) sender.destroy();
      return abandoned;
    },
  };
}

function listen({ host, port }: LineOptions, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ noDelay: true }, onConnection);
    server.once("listening", () => resolve(server));
    // Retryable: the runtime restarts the source until the port is free.
    server.once("error", (cause) =>
      reject(new FlowError("line.LineException", `cannot listen on ${host}:${port}: ${cause.message}`, { code: "line-listen", retryable: true, cause })),
    );
    server.listen(port, host);
  });
}

interface SenderParts {
  readonly routeInput: SourceInput;
  readonly options: LineOptions;
  readonly uri: string;
  readonly host: Host;
}

/** One connection of a partner that sends lines. */
class Sender {
  readonly #socket: Socket;
  readonly #parts: SenderParts;
  readonly #splitter: LineSplitter;
  #waiting: string[] = [];
  #working: Promise<void> | undefined = undefined;
  #isStopped = false;

  constructor(socket: Socket, parts: SenderParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#splitter = new LineSplitter(parts.options.maxLine);
    socket.on("data", (chunk: Uint8Array) => this.#receive(chunk));
    // A reset connection ends like any other: its messages are still processed, their replies are dropped.
    socket.on("error", () => undefined);
  }

  get isBusy(): boolean {
    return this.#working !== undefined;
  }

  /** Accepts no more lines; resolves when the one in flight is settled. The partner must resend lines that were not accepted. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#socket.pause();
    await this.#working;
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#isStopped = true;
    this.#socket.destroy();
  }

  #receive(chunk: Uint8Array): void {
    try {
      this.#waiting.push(...this.#splitter.push(chunk));
    } catch (error) {
      this.#parts.host.log.write("WARN", "line", `${this.#socket.remoteAddress} was disconnected: ${(error as Error).message}`);
      this.destroy();
      return;
    }
    if (this.#waiting.length > 0) this.#working ??= this.#work().finally(() => (this.#working = undefined));
  }

  async #work(): Promise<void> {
    this.#socket.pause();
    for (let line = this.#waiting.shift(); line !== undefined && !this.#isStopped; line = this.#waiting.shift()) await this.#deliver(line);
    if (!this.#isStopped) this.#socket.resume();
  }

  async #deliver(line: string): Promise<void> {
    const { routeInput, options, uri } = this.#parts;
    const message = Message.received(line, { LineRemoteAddress: this.#socket.remoteAddress });
    const exchange = await routeInput.deliver(message, { pattern: options.reply ? "InOut" : "InOnly", trigger: { uri } });
    const settlement = settlementOf(exchange);
    // Closed without a reply, so that the partner sends the line again.
    if (settlement.kind === "released") return this.destroy();
    if (!options.reply || this.#socket.destroyed) return undefined;
    const text = settlement.kind === "done" ? asText(exchange.message.body) : `ERROR ${settlement.failure.code}`;
    this.#socket.write(`${text.replaceAll(/[\r\n]+/g, " ")}\n`);
  }
}
