// A connector that is loaded on demand and uses the echo server: `talk:name?connection=#id`.
import type { ConnectionEntry, ConnectorEntry } from "@sluice/connectors";
import { defineBean, defineConnector, type Connection, type ConnectorDeclaration } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { echo, type EchoClient } from "./echo-server.test-support.ts";

const details = { title: "Talk", summary: "Sends a request to the echo server.", group: "testing", since: "0.1" };

const talk = defineConnector({
  ...details,
  scheme: "talk",
  aliases: ["talks"],
  syntax: "talk:name",
  roles: ["sink"],
  path: { name: f.string({ doc: "Any name.", required: true }) },
  options: {
    connection: f.string({ doc: "The connection." }),
    port: f.string({ doc: "The port of the server." }),
    suffix: f.string({ doc: "Appended to the reply.", default: "" }),
  },
  headers: {},
  exceptions: { "org.example.TalkException": "java.io.IOException" },
  examples: [],
  connect: () => ({
    sink({ options: { connection: reference, port, suffix } }, scope) {
      const connection = scope.connection<EchoClient>({ reference, kinds: ["talk"], inline: port === undefined ? {} : { port } });
      return {
        async send(exchange) {
          const client = await connection.client();
          exchange.message.body = `${await client.ask()}${suffix}`;
        },
      };
    },
  }),
});

/** Returns its connection, to show that beans are loaded on demand and can use connections. */
const talkBean = defineBean({
  ...details,
  names: ["org.example.TalkRepository"],
  kind: "value",
  properties: { connection: f.string({ doc: "The connection.", required: true }) },
  create: ({ connection }, _host, scope): Connection => scope.connection({ reference: connection, kinds: ["talk"], inline: {} }),
});

/** Index entries, and how often each was loaded. */
export function talkEntries() {
  const loads = { connector: 0, connection: 0, bean: 0 };
  const connector: ConnectorEntry = {
    ...details,
    scheme: "talk",
    aliases: ["talks"],
    roles: ["sink"],
    kinds: ["talk"],
    needs: [],
    load: async () => {
      loads.connector++;
      return talk as ConnectorDeclaration;
    },
  };
  const connection: ConnectionEntry = {
    ...details,
    type: "echo",
    kinds: ["talk"],
    beans: ["org.example.EchoClient"],
    needs: [],
    load: async () => {
      loads.connection++;
      return echo;
    },
  };
  const bean = {
    names: talkBean.names,
    load: async () => {
      loads.bean++;
      return talkBean;
    },
  };
  return { loads, connector, connection, bean };
}
