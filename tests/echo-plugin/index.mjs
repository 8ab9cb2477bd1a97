// A connection type and a connector for tests of connections: they send the password to a TCP server and return its reply.
import { once } from "node:events";
import { createConnection } from "node:net";
import { defineConnection, defineConnector } from "@sluice/engine/spi";
import { f } from "@sluice/model";

const shared = { group: "testing", since: "0.1" };

async function sendLine(socket, text) {
  socket.write(`${text}\n`);
  const [data] = await once(socket, "data");
  return data.toString().trim();
}

export const connections = [
  defineConnection({
    ...shared,
    type: "echo",
    title: "Echo",
    summary: "A server that replies to each line.",
    kinds: ["talk"],
    needs: [],
    beans: [{ names: ["org.example.EchoClient"], fields: ({ port, password }) => ({ port, password }) }],
    fields: {
      port: f.integer({ doc: "The port.", required: true }),
      password: f.string({ doc: "The password.", secret: true, default: "no-password" }),
      tls: f.object({ key: f.string({ doc: "A key.", secret: true }), name: f.string({ doc: "A name." }) }, { doc: "Encryption." }),
    },
    async open({ port, password }, { disconnected, signal }) {
      const socket = createConnection({ host: "127.0.0.1", port, signal });
      await once(socket, "connect");
      const reply = await sendLine(socket, password);
      if (reply.startsWith("denied")) {
        socket.destroy();
        throw new Error(`access denied for the password '${password}'`);
      }
      socket.on("close", () => disconnected("the server closed the connection")).on("error", () => undefined);
      return { socket, reply };
    },
    async close({ socket }) {
      socket.removeAllListeners("close").destroy();
    },
    check: async ({ reply }) => `Echo 1.0 (${reply})`,
    browses: ["tables"],
    browse: async (_client, what, prefix, limit) =>
      Array.from({ length: 500 }, (_, index) => `${what}-${index}`)
        .filter((name) => name.startsWith(prefix))
        .slice(0, limit),
  }),
];

export const connectors = [
  defineConnector({
    ...shared,
    scheme: "talk",
    title: "Talk",
    summary: "Replaces the body with the reply of the echo server.",
    syntax: "talk:name",
    roles: ["sink"],
    workers: "any",
    path: { name: f.string({ doc: "Any name.", required: true }) },
    options: { connection: f.string({ doc: "The connection." }) },
    headers: {},
    examples: [],
    connect: () => ({
      sink({ options: { connection: reference } }, scope) {
        const connection = scope.connection({ reference, kinds: ["talk"], inline: {} });
        return {
          async send(exchange) {
            const { reply } = await connection.client();
            exchange.message.body = reply;
          },
        };
      },
    }),
  }),
];
