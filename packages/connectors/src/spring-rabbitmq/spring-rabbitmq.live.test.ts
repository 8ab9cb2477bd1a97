// The connector suite with a real RabbitMQ.
import { createRequire } from "node:module";
import { afterAll, describe, it } from "vitest";
import { connectorSuite, FakeHost, serverFor, testConnections, type TestConnections } from "@sluice/testkit";
import { rabbitmqConnection } from "./rabbitmq-connection.ts";
import { springRabbitmqConnector } from "./spring-rabbitmq.ts";

const server = await serverFor("rabbitmq");
const declaration = springRabbitmqConnector();

describe.skipIf(server === undefined)("spring-rabbitmq passes the connector suite (needs RabbitMQ)", () => {
  const opened: TestConnections[] = [];
  afterAll(async () => {
    for (const connections of opened) await connections.close();
    await server?.end();
  });
  const host = (): FakeHost => {
    const fake = new FakeHost();
    const values = { port: String(server?.port), host: "127.0.0.1" };
    const load = async (clientPackage: { readonly package: string }): Promise<unknown> => createRequire(import.meta.url)(clientPackage.package);
    const connections = testConnections(fake, { broker: { declaration: rabbitmqConnection, values } }, load);
    opened.push(connections);
    return Object.assign(fake, { connections });
  };
  const uri = `spring-rabbitmq:default?queues=sluice-suite-${process.pid}&arg.queue.autoDelete=true`;
  for (const { name, run } of connectorSuite(declaration, { uri, host })) it(name, run);
});
