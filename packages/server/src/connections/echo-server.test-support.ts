// A real TCP server that can be stopped, made to hang and disconnected, and the connection type for it.
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import type { ConnectionLookup } from "@sluice/engine";
import { defineConnection } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { freePort } from "@sluice/testkit";

/** Replies `pong` and the received password, or does not reply at all. */
export class EchoServer {
  readonly sockets = new Set<Socket>();
  accepted = 0;
  replies = 0;
  isResponding = true;
  #server: Server | undefined;
  port = 0;

  async listen(): Promise<void> {
    this.#server = createServer((socket) => {
      this.accepted++;
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket)).on("error", () => undefined);
      socket.on("data", (data) => this.isResponding && ++this.replies && socket.write(`pong ${data.toString()}`));
    });
    if (this.port === 0) this.port = await freePort();
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => (this.#server === undefined ? resolve(undefined) : this.#server.close(resolve)));
  }
}

export interface EchoClient {
  readonly password: string;
  readonly socket: Socket;
  ask(): Promise<string>;
}

/** A connection lookup as the engine creates it. */
export const lookupOf = (more: Partial<ConnectionLookup>): ConnectionLookup => ({
  reference: undefined,
  kinds: ["talk"],
  inline: {},
  user: "echo",
  flowBean: undefined,
  flowBeans: () => new Map(),
  propertyBean: undefined,
  component: {},
  ...more,
});

export const echo = defineConnection({
  type: "echo",
  title: "Echo",
  summary: "A server that replies.",
  group: "testing",
  since: "0.1",
  kinds: ["talk"],
  needs: [],
  beans: [
    {
      names: ["org.example.EchoClient"],
      fields: ({ url = "", password, "credentials.password": nested }) => ({
        port: /:(\d+)$/.exec(url)?.[1],
        ...((password ?? nested) === undefined ? {} : { password: password ?? nested }),
      }),
    },
  ],
  fields: {
    port: f.integer({ doc: "The port.", required: true }),
    password: f.string({ doc: "The password.", secret: true, default: "no-password" }),
    tls: f.object({ name: f.string({ doc: "The server's name." }), key: f.text({ doc: "The key.", secret: true }) }, { doc: "Encryption; not used here." }),
  },
  async open({ port, password }, { disconnected, signal }): Promise<EchoClient> {
    const socket = createConnection({ host: "127.0.0.1", port, signal });
    await once(socket, "connect");
    socket.on("close", () => disconnected("the server closed the connection")).on("error", () => undefined);
    return {
      password,
      socket,
      async ask() {
        socket.write(password);
        const [data] = (await once(socket, "data")) as [Buffer];
        return data.toString();
      },
    };
  },
  async close({ socket }) {
    socket.removeAllListeners("close").destroy();
  },
  check: (client) => client.ask(),
});
