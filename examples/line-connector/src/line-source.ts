import { createServer, type Server, type Socket } from "node:net";
import { FlowError, Message, settlementOf, type Host, type Source, type SourceInput } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { LineSplitter } from "./line-splitter.ts";
import type { LineOptions } from "./line.ts";

/** Listens on a port; each line is a message. Each connection has one message in flight at a time, which applies back-pressure. */
export function lineSource(options: LineOptions, uri: string, host: Host): Source {
  let server: Server | undefined;
  let connections = new Set<LineConnection>();
  return {
    claims: options.port === 0 ? [] : [`tcp ${options.host}:${options.port}`],
    // Two versions of a route cannot listen on the same port.
    exclusive: true,
    async start(routeInput) {
      const opened = (connections = new Set<LineConnection>());
      server = await listen(options, (socket) => {
        const connection = new LineConnection(socket, { routeInput, options, uri, host });
        opened.add(connection);
        socket.once("close", () => opened.delete(connection));
      });
    },
    async stop() {
      server?.close();
      server = undefined;
      await Promise.all([...connections].map((connection) => connection.stop()));
    },
    abandon() {
      const abandoned = [...connections].filter(({ isBusy }) => isBusy).length;
      for (const connection of connections) connection.destroy();
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

interface ConnectionParts {
  readonly routeInput: SourceInput;
  readonly options: LineOptions;
  readonly uri: string;
  readonly host: Host;
}

/** One connection of a partner that sends lines. */
class LineConnection {
  readonly #socket: Socket;
  readonly #parts: ConnectionParts;
  readonly #splitter: LineSplitter;
  #pendingLines: string[] = [];
  #processing: Promise<void> | undefined = undefined;
  #isStopped = false;

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#splitter = new LineSplitter(parts.options.maxLine);
    socket.on("data", (chunk: Uint8Array) => this.#receive(chunk));
    // A reset connection ends like any other: its messages are still processed, and their replies are dropped.
    socket.on("error", () => undefined);
  }

  get isBusy(): boolean {
    return this.#processing !== undefined;
  }

  /** Accepts no more lines; resolves when the line in flight is settled. The partner must resend lines that were not accepted. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#socket.pause();
    await this.#processing;
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#isStopped = true;
    this.#socket.destroy();
  }

  #receive(chunk: Uint8Array): void {
    try {
      this.#pendingLines.push(...this.#splitter.push(chunk));
    } catch (error) {
      this.#parts.host.log.write("WARN", "line", `${this.#socket.remoteAddress} was disconnected: ${(error as Error).message}`);
      this.destroy();
      return;
    }
    if (this.#pendingLines.length > 0) this.#processing ??= this.#processPending().finally(() => (this.#processing = undefined));
  }

  async #processPending(): Promise<void> {
    this.#socket.pause();
    for (let line = this.#pendingLines.shift(); line !== undefined && !this.#isStopped; line = this.#pendingLines.shift()) await this.#deliver(line);
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
