// A TCP relay between a client and a server that can be cut, closed, slowed down and silenced, to simulate network faults.
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { once } from "node:events";

export class FaultyLink {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #links = new Set<{ readonly client: Socket; readonly server: Socket }>();
  #listener: Server | undefined = undefined;
  #delayMs = 0;
  #isSilent = false;
  #bytesLeft = Infinity;
  port = 0;
  /** Connections made by clients so far. */
  accepted = 0;

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
  }

  static async to(target: { readonly host: string; readonly port: number }): Promise<FaultyLink> {
    const link = new FaultyLink(target);
    await link.open();
    return link;
  }

  /** Accepts connections, on the same port as before. */
  async open(): Promise<void> {
    if (this.#listener !== undefined) return;
    const listener = (this.#listener = createServer((client) => this.#relay(client)));
    listener.listen(this.port, "127.0.0.1");
    await once(listener, "listening");
    this.port = (listener.address() as AddressInfo).port;
  }

  /** Cuts every connection; new ones are accepted. */
  cut(): void {
    for (const { client, server } of this.#links) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** Cuts every connection and accepts none until `open`. */
  async refuse(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    const closed = listener === undefined ? undefined : new Promise((resolve) => listener.close(resolve));
    this.cut();
    await closed;
  }

  /** Cuts all connections once this many bytes went through, in either direction. */
  cutAfter(bytes: number): void {
    this.#bytesLeft = bytes;
  }

  /** Delays every chunk by this long. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Drops all data while the connections stay open, until it is called with false. */
  silence(isSilent = true): void {
    this.#isSilent = isSilent;
  }

  close(): Promise<void> {
    return this.refuse();
  }

  #relay(client: Socket): void {
    this.accepted++;
    const server = connect(this.#target);
    const link = { client, server };
    this.#links.add(link);
    const end = (): void => {
      this.#links.delete(link);
      client.destroy();
      server.destroy();
    };
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      from.on("data", (chunk: Buffer) => this.#pass(chunk, from, to));
      from.on("error", end).on("close", end);
    }
  }

  #pass(chunk: Buffer, from: Socket, to: Socket): void {
    if (this.#isSilent) return;
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft <= 0) {
      this.#bytesLeft = Infinity;
      to.write(chunk.subarray(0, Math.floor(chunk.length / 2)), () => this.cut());
      return;
    }
    if (this.#delayMs > 0) {
      setTimeout(() => !to.destroyed && to.write(chunk), this.#delayMs);
      return;
    }
    if (to.write(chunk)) return;
    from.pause();
    to.once("drain", () => from.resume());
  }
}
