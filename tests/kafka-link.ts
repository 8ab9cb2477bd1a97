// A faulty connection to a Kafka broker. Brokers advertise their own address, so a relay replaces it with that of the faulty connection.
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { once } from "node:events";
import { FaultyLink } from "@sluice/testkit";
import { frameReader, KafkaLogin } from "./kafka-login.ts";

export interface KafkaLink {
  readonly link: FaultyLink;
  /** Size of the largest request in bytes. */
  readonly largestRequest: number;
  /** Whether the broker has sent a response that contains this text. */
  hasDelivered(text: string): boolean;
  close(): Promise<void>;
}

/** With a password, clients have to log in. */
export async function kafkaLink(port: number, password?: string): Promise<KafkaLink> {
  let advertisedPort = 0;
  let largestRequest = 0;
  const responses: Buffer[] = [];
  const relay: Server = createServer((client) => {
    const broker = connect({ host: "127.0.0.1", port });
    const login = password === undefined ? undefined : new KafkaLogin(password, client);
    const fromClient = frameReader((frame) => {
      largestRequest = Math.max(largestRequest, frame.length);
      if (login?.forwards(frame) !== false) broker.write(frame);
    });
    const fromBroker = frameReader((frame) => {
      responses.push(frame);
      client.write(withPort(login?.addLoginApis(frame) ?? frame, port, advertisedPort));
    });
    const end = (): void => {
      client.destroy();
      broker.destroy();
    };
    client.on("data", fromClient);
    broker.on("data", fromBroker);
    for (const socket of [client, broker]) socket.on("error", end).on("close", end);
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const link = await FaultyLink.to({ host: "127.0.0.1", port: (relay.address() as AddressInfo).port });
  advertisedPort = link.port;
  return {
    link,
    get largestRequest() {
      return largestRequest;
    },
    hasDelivered: (text) => responses.some((response) => response.includes(text)),
    async close() {
      await link.close();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}

/** An address is a length-prefixed host followed by four bytes of port; only loopback hosts are replaced. */
function withPort(chunk: Buffer, from: number, to: number): Buffer {
  const port = Buffer.alloc(4);
  port.writeUInt32BE(from);
  for (const host of ["127.0.0.1", "localhost"]) {
    const address = Buffer.concat([Buffer.from([0, host.length]), Buffer.from(host), port]);
    for (let at = chunk.indexOf(address); at >= 0; at = chunk.indexOf(address, at + 1)) chunk.writeUInt32BE(to, at + address.length - 4);
  }
  return chunk;
}
