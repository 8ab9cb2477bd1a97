// Runs the connector suite for connectors that need a broker.
import { connectionIndex, connectorIndex, loadClient, type ConnectionEntry } from "@sluice/connectors";
import type { Connection, ConnectionDeclaration, Host } from "@sluice/engine/spi";
import { bindFields } from "@sluice/engine";
import type { Fields } from "@sluice/model";
import { connectorSuite, FakeHost, serverFor, serverPrograms } from "@sluice/testkit";
import { afterAll, describe, it } from "vitest";

type ServerName = Parameters<typeof serverFor>[0];

const families: Readonly<
  Record<string, { readonly server: ServerName; readonly address: (port: number) => Readonly<Record<string, string>>; readonly options?: string }>
> = {
  // The mock broker lets a member rejoin only after the session of the previous one has expired.
  kafka: { server: "kafka", address: (port) => ({ brokers: `127.0.0.1:${port}` }), options: "?sessionTimeoutMs=3000&heartbeatIntervalMs=500" },
  nats: { server: "nats", address: (port) => ({ servers: `127.0.0.1:${port}` }) },
  paho: { server: "mosquitto", address: (port) => ({ brokerUrl: `tcp://127.0.0.1:${port}` }) },
  "paho-mqtt5": { server: "mosquitto", address: (port) => ({ brokerUrl: `tcp://127.0.0.1:${port}` }) },
};

/** A connection that is opened by its first user and closed by its last, without a runtime. */
function connectionOf(declaration: ConnectionDeclaration, settings: Readonly<Record<string, string>>, host: Host): Connection<never> {
  const values = bindFields(declaration.fields as Fields, settings, declaration.type);
  let opening: Promise<unknown> | undefined;
  const close = (): void => {
    void opening?.then((client) => declaration.close(client));
    opening = undefined;
  };
  return {
    id: "suite",
    client: () =>
      (opening ??= declaration.open(values as never, { host, signal: new AbortController().signal, load: loadClient, disconnected: close })) as Promise<never>,
    invalidate: close,
    watch: () => () => undefined,
    release: close,
  };
}

for (const [scheme, { server: name, address, options = "" }] of Object.entries(families)) {
  const server = await serverFor(name, { own: true, isDurable: false });
  afterAll(() => server?.end());
  describe.skipIf(server === undefined)(`${scheme} passes the connector suite (needs ${serverPrograms[name].title})`, async () => {
    const entry = connectorIndex.find((candidate) => candidate.scheme === scheme);
    const type = connectionIndex.find(({ kinds }) => kinds.some((kind) => entry?.kinds.includes(kind) === true)) as ConnectionEntry;
    const [connector, connection] = [await entry?.load({}), await type.load()];
    if (connector === undefined) throw new Error(`there is no connector '${scheme}'`);
    const host = (): FakeHost => {
      const fakeHost = new FakeHost();
      return Object.assign(fakeHost, { connections: { find: () => connectionOf(connection, address(server?.port ?? 0), fakeHost), hasClass: () => false } });
    };
    for (const { name: check, run } of connectorSuite(connector, { uri: `${scheme}:suite${options}`, host })) it(check, () => run());
  });
}
