import { Server } from "node:http";
import type { Socket } from "node:net";

/** A node:http server with a hook between accepting a connection and reading it: `accept` gets every connection first. */
export class AcceptingServer extends Server {
  /** Supported by node:http but missing in its types: a client may half-close and still gets its reply. */
  declare httpAllowHalfOpen: boolean;
  /** Connections accepted so far. */
  accepted = 0;
  accept: (socket: Socket) => void = (socket) => this.read(socket);

  /** Passes a connection to node:http; this event is its documented way to inject connections. */
  read(socket: Socket): void {
    super.emit("connection", socket);
  }

  override emit(event: string, ...parameters: readonly unknown[]): boolean {
    if (event !== "connection") return super.emit(event, ...parameters);
    this.accepted++;
    this.accept(parameters[0] as Socket);
    return true;
  }
}
