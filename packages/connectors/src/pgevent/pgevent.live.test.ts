// Notifications of a real PostgreSQL server.
import { afterAll, describe, expect, it } from "vitest";
import { advanceUntil, connectorUnderTest, exchangeOf, FakeHost, FakeRouteInput, FaultyLink, realTimeHost, serverFor, testConnections } from "@sluice/testkit";
import { FlowError, type Host } from "@sluice/engine/spi";
import { postgres } from "../database/postgres.ts";
import type { DeadLetters } from "../sluice/sluice.ts";
import { pgeventConnector } from "./pgevent.ts";

const server = await serverFor("postgres");
const load = (clientPackage: { readonly package: string }): Promise<unknown> => import(clientPackage.package);

describe.skipIf(server === undefined)("pgevent (needs PostgreSQL)", () => {
  const target = server as NonNullable<typeof server>;
  const cleanUps: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    await server?.end();
  });

  /** The connector with two connections: `listening` uses this port, `sending` the server's. */
  const eventsOn = (port: number, deadLetters?: DeadLetters, host: Host = realTimeHost()): ReturnType<typeof connectorUnderTest> => {
    const values = { host: "127.0.0.1", user: "postgres", database: "postgres" };
    const connections = testConnections(
      host,
      {
        listening: { declaration: postgres, values: { ...values, port: String(port) } },
        sending: { declaration: postgres, values: { ...values, port: String(target.port) } },
      },
      load,
    );
    cleanUps.push(() => connections.close());
    return connectorUnderTest(pgeventConnector(deadLetters), Object.assign(host, { connections }));
  };

  it("delivers notifications, and listens again after a lost connection", async () => {
    const link = await FaultyLink.to(target);
    cleanUps.push(() => link.close());
    const events = eventsOn(link.port);
    const channel = `Sluice "${process.pid}`;
    const source = events.source(`pgevent:x:1/db/${encodeURIComponent(channel)}?datasource=#listening&reconnectDelay=50`);
    const sink = events.sink(`pgevent:x:1/db/${encodeURIComponent(channel)}?datasource=#sending`);
    const routeInput = new FakeRouteInput();
    await source.start(routeInput);
    for (const text of ["one", "it's; drop"]) await sink.send(exchangeOf(text));
    await expect.poll(() => routeInput.bodies).toEqual(["one", "it's; drop"]);
    expect(routeInput.exchanges[0]?.message.headers.get("channel")).toBe(channel);
    link.cut();
    await expect
      .poll(async () => {
        await sink.send(exchangeOf("again"));
        return routeInput.bodies.includes("again");
      })
      .toBe(true);
    await source.stop();
  });

  it("sends bodies that are streams, up to the limit of the server", async () => {
    const events = eventsOn(target.port);
    const source = events.source("pgevent:x:1/db/sluice_streams?datasource=#listening");
    const sink = events.sink("pgevent:x:1/db/sluice_streams?datasource=#sending");
    const routeInput = new FakeRouteInput();
    await source.start(routeInput);
    const pieces = async function* (count: number) {
      for (let piece = 0; piece < count; piece++) yield Buffer.from("a piece ");
    };
    await sink.send(exchangeOf(pieces(999)));
    await expect.poll(() => routeInput.bodies).toEqual(["a piece ".repeat(999)]);
    await expect(sink.send(exchangeOf(pieces(1000)))).rejects.toThrow("more than 7999 bytes");
    await source.stop();
  });

  it("listens again when the connection is dead but was not closed", async () => {
    const link = await FaultyLink.to(target);
    cleanUps.push(() => link.close());
    const host = new FakeHost();
    const events = eventsOn(link.port, undefined, host);
    const channel = `silent_${process.pid}`;
    const source = events.source(`pgevent:x:1/db/${channel}?datasource=#listening&reconnectDelay=50`);
    const sink = events.sink(`pgevent:x:1/db/${channel}?datasource=#sending`);
    const routeInput = new FakeRouteInput();
    await source.start(routeInput);
    link.silence();
    // Two intervals: until the next check, and until its response is overdue.
    await advanceUntil(host.clock, () => routeInput.problems.length > 0);
    link.silence(false);
    await advanceUntil(host.clock, async () => {
      await sink.send(exchangeOf("again"));
      return routeInput.bodies.includes("again");
    });
    await source.stop();
  });

  it("dead-letters failed notifications unchanged, and continues", async () => {
    const deadLetterBodies: unknown[] = [];
    const events = eventsOn(target.port, { store: async (_exchange, exhausted) => void deadLetterBodies.push(exhausted?.message.body) });
    const done: unknown[] = [];
    const routeInput = new FakeRouteInput(({ message }) => {
      const { body } = message;
      message.body = "changed";
      if (String(body).endsWith("7")) throw new FlowError("java.io.IOException", "broken");
      done.push(body);
    });
    const source = events.source("pgevent:x:1/db/sluice_failing?datasource=#listening");
    const sink = events.sink("pgevent:x:1/db/sluice_failing?datasource=#sending");
    await source.start(routeInput);
    const texts = Array.from({ length: 30 }, (_, number) => `message ${number}`);
    for (const text of texts) await sink.send(exchangeOf(text));
    await expect.poll(() => [...done, ...deadLetterBodies].length).toBe(30);
    expect([done, deadLetterBodies]).toEqual([texts.filter((text) => !text.endsWith("7")), ["message 7", "message 17", "message 27"]]);
    await source.stop();
  });
});
