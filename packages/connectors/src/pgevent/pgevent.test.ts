// Notifications of a real PostgreSQL server.
import { afterAll, describe, expect, it } from "vitest";
import { connectorUnderTest, exchangeOf, FakeInlet, FaultyLink, hostInRealTime, serverFor, testConnections } from "@sluice/testkit";
import { postgres } from "../database/postgres.ts";
import { pgeventConnector } from "./pgevent.ts";

const server = await serverFor("postgres");
const load = (need: { readonly package: string }): Promise<unknown> => import(need.package);

describe.skipIf(server === undefined)("pgevent (needs PostgreSQL)", () => {
  const target = server as NonNullable<typeof server>;
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
    await server?.end();
  });

  it("delivers notifications, and listens again after a lost connection", async () => {
    const link = await FaultyLink.to(target);
    ends.push(() => link.close());
    const host = hostInRealTime();
    const values = { host: "127.0.0.1", user: "postgres", database: "postgres" };
    const connections = testConnections(
      host,
      {
        listening: { declaration: postgres, values: { ...values, port: String(link.port) } },
        sending: { declaration: postgres, values: { ...values, port: String(target.port) } },
      },
      load,
    );
    ends.push(() => connections.close());
    const events = connectorUnderTest(pgeventConnector(undefined), Object.assign(host, { connections }));
    const channel = `Sluice "${process.pid}`;
    const source = events.source(`pgevent:x:1/db/${encodeURIComponent(channel)}?datasource=#listening&reconnectDelay=50`);
    const sink = events.sink(`pgevent:x:1/db/${encodeURIComponent(channel)}?datasource=#sending`);
    const inlet = new FakeInlet();
    await source.start(inlet);
    for (const text of ["one", "it's; drop"]) await sink.send(exchangeOf(text));
    await expect.poll(() => inlet.bodies).toEqual(["one", "it's; drop"]);
    expect(inlet.exchanges[0]?.message.headers.get("channel")).toBe(channel);
    link.cut();
    await expect
      .poll(async () => {
        await sink.send(exchangeOf("again"));
        return inlet.bodies.includes("again");
      })
      .toBe(true);
    await source.stop();
  });
});
