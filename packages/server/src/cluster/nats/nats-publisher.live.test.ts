// Publications with acknowledgements on a real NATS server.
import * as jetstream from "@nats-io/jetstream";
import * as transport from "@nats-io/transport-node";
import { serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { storeLink, type NatsLink } from "./nats-link.ts";
import { NatsPublisher } from "./nats-publisher.ts";
import { createSendGroups } from "./send-groups.ts";

const server = await serverFor("nats", { own: true });

describe.skipIf(server === undefined)("publications with acknowledgements (needs NATS)", () => {
  const { host, port } = (server ?? {}) as TestServer;
  const body = new Uint8Array(1_000);
  let connection: transport.NatsConnection;
  let jsm: jetstream.JetStreamManager;
  let publisher: NatsPublisher;
  /** Messages that were sent to the subject without an acknowledgement. */
  let silent = 0;
  const publish = (subject: string, id: string): Promise<void> => {
    const headers = transport.headers();
    headers.set("Nats-Msg-Id", id);
    return publisher.publish(subject, body, headers);
  };
  const outcomeOf = async (subject: string): Promise<readonly string[]> => {
    const error = await publish(subject, "x").catch((error: unknown) => error);
    return [(error as Error).message, storeLink({ connection } as NatsLink).classify(error)];
  };
  beforeAll(async () => {
    connection = await transport.connect({ servers: `${host}:${port}` });
    jsm = await jetstream.jetstreamManager(connection);
    publisher = new NatsPublisher({ connection, transport, jetstream, name: "test", sendGrouped: createSendGroups() });
  });
  afterAll(async () => {
    publisher.close();
    await connection.close();
    await server?.end();
  });

  it("stores each id once, however many are sent together", async () => {
    await jsm.streams.add({ name: "stored", subjects: ["stored"] });
    const ids = Array.from({ length: 1_000 }, (_, index) => `id ${index}`);
    await Promise.all([...ids, ...ids].map((id) => publish("stored", id)));
    expect((await jsm.streams.info("stored")).state.messages).toBe(1_000);
  });

  it("rejects with the reason of the stream, or because no stream responds", async () => {
    await jsm.streams.add({ name: "small", subjects: ["small"], max_bytes: 100, discard: jetstream.DiscardPolicy.New });
    expect(await outcomeOf("small")).toEqual(["maximum bytes exceeded", "final"]);
    expect(await outcomeOf("nowhere")).toEqual(["no responders: 'nowhere'", "not-executed"]);
  });

  it("rejects a publication without an acknowledgement after a time limit, and continues with the next", async () => {
    connection.subscribe("silent", { callback: () => void silent++ });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    let outcome: readonly string[] = [];
    const ended = outcomeOf("silent").then((found) => (outcome = found));
    await vi.advanceTimersByTimeAsync(1_999);
    expect(outcome).toEqual([]);
    await vi.advanceTimersByTimeAsync(251);
    vi.useRealTimers();
    await ended;
    expect(outcome).toEqual(["timeout", "unknown"]);
    await publish("stored", "after");
  });

  it("rejects unacknowledged publications when it is closed", async () => {
    const closing = new NatsPublisher({ connection, transport, jetstream, name: "test", sendGrouped: createSendGroups() });
    const silentBefore = silent;
    const pending = closing.publish("silent", body, transport.headers());
    const rejected = expect(pending).rejects.toMatchObject({ name: "ClosedConnectionError" });
    await expect.poll(() => silent).toBe(silentBefore + 1);
    closing.close();
    await rejected;
  });
});
