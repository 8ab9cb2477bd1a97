import type { Socket } from "node:net";

/**
 * Reply bytes buffered for slow clients, across all connections. Above the limit, the connections that have been slow for longest are
 * closed, so that clients that do not read cannot exhaust memory.
 */
export class UnsentReplies {
  readonly #limit: number;
  readonly #bytesOf = new Map<Socket, number>();
  #bytes = 0;
  /** Connections closed so far. */
  cut = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts the bytes buffered in a socket, until `remove`. */
  add(socket: Socket): void {
    const countedBefore = this.#bytesOf.get(socket) ?? 0;
    this.#bytesOf.set(socket, socket.writableLength);
    this.#bytes += socket.writableLength - countedBefore;
    if (this.#bytes > this.#limit) this.#closeOldest();
  }

  remove(socket: Socket): void {
    this.#bytes -= this.#bytesOf.get(socket) ?? 0;
    this.#bytesOf.delete(socket);
  }

  #closeOldest(): void {
    // Clients may have read part of the counted bytes.
    for (const socket of this.#bytesOf.keys()) this.#recount(socket);
    for (const socket of this.#bytesOf.keys()) {
      if (this.#bytes <= this.#limit) return;
      this.remove(socket);
      this.cut++;
      socket.destroy();
    }
  }

  #recount(socket: Socket): void {
    this.#bytes += socket.writableLength - (this.#bytesOf.get(socket) ?? 0);
    this.#bytesOf.set(socket, socket.writableLength);
  }
}
