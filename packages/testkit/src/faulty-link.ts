// A TCP relay between a client and a server that can be cut, closed, slowed down, silenced and frozen, to simulate network faults.
import { connect, createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import type { Clock } from "@sluice/engine/spi";
import { realClock } from "./real-clock.ts";
import { freePort } from "./servers/free-port.ts";

/** Timers are not exact: with shorter pauses a limited connection would be slower than requested. */
const minPauseMs = 50;

interface Relay {
  readonly client: Socket;
  readonly server: Socket;
  isFrozen: boolean;
  /** When the next bytes of a limited connection are due. */
  dueAt: number;
}

export class FaultyLink {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #clock: Clock;
  readonly #relays = new Set<Relay>();
  #listener: Server | undefined = undefined;
  #delayMs = 0;
  #isSilent = false;
  #bytesLeft = Infinity;
  #bytesPerSecond = Infinity;
  port = 0;
  /** Connections made by clients so far. */
  accepted = 0;
  /** Bytes dropped so far by `silence` and `freeze`. */
  dropped = 0;

  private constructor(target: { readonly host: string; readonly port: number }, clock: Clock) {
    this.#target = target;
    this.#clock = clock;
  }

  /** `clock` is for delays. */
  static async to(target: { readonly host: string; readonly port: number }, clock = realClock): Promise<FaultyLink> {
    const link = new FaultyLink(target, clock);
    await link.open();
    return link;
  }

  /** Accepts connections, on the same port as before. */
  async open(): Promise<void> {
    if (this.#listener !== undefined) return;
    if (this.port === 0) this.port = await freePort();
    const listener = (this.#listener = createServer((client) => this.#accept(client)));
    listener.listen(this.port, "127.0.0.1");
    await once(listener, "listening");
  }

  /** Cuts every connection; new ones are accepted. */
  cut(): void {
    for (const relay of this.#relays) {
      this.#relays.delete(relay);
      relay.client.resetAndDestroy();
      relay.server.destroy();
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

  /** Cuts all connections once this many bytes have been relayed, in either direction. */
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

  /** Drops all data of the connections that exist now, which stay open on both sides, as behind a firewall; new ones work. */
  freeze(): void {
    for (const relay of this.#relays) relay.isFrozen = true;
  }

  /** Limits how fast each connection receives data from the server. */
  limit(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
  }

  close(): Promise<void> {
    return this.refuse();
  }

  #accept(client: Socket): void {
    this.accepted++;
    const server = connect(this.#target);
    const relay: Relay = { client, server, isFrozen: false, dueAt: 0 };
    this.#relays.add(relay);
    const end = (): void => {
      if (relay.isFrozen) return;
      this.#relays.delete(relay);
      client.destroy();
      server.destroy();
    };
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      from.on("data", (chunk: Buffer) => this.#pass(chunk, relay, from, to));
      from.on("error", end).on("close", end);
    }
  }

  #pass(chunk: Buffer, relay: Relay, from: Socket, to: Socket): void {
    if (this.#isSilent || relay.isFrozen) {
      this.dropped += chunk.length;
      return;
    }
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft <= 0) {
      this.#bytesLeft = Infinity;
      to.write(chunk.subarray(0, Math.floor(chunk.length / 2)), () => this.cut());
      return;
    }
    if (this.#delayMs > 0) {
      this.#clock.after(this.#delayMs, () => !to.destroyed && to.write(chunk));
      return;
    }
    const isWritten = to.write(chunk);
    if (from === relay.server && this.#bytesPerSecond < Infinity) return this.#slowDown(chunk.length, relay);
    if (isWritten) return;
    from.pause();
    to.once("drain", () => from.resume());
  }

  #slowDown(bytes: number, relay: Relay): void {
    const now = performance.now();
    relay.dueAt = Math.max(now, relay.dueAt) + (bytes / this.#bytesPerSecond) * 1_000;
    if (relay.dueAt - now < minPauseMs) return;
    relay.server.pause();
    setTimeout(() => relay.server.resume(), relay.dueAt - now);
  }
}
