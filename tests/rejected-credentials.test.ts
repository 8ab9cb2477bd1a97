// Credentials that a database rejects are not retried repeatedly, and new ones are used without a redeploy. Logins are counted by a relay
// in front of the database.
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { serverFor } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { call, eventually, startTestServer, type StartedServer } from "./started-server.ts";

const database = await serverFor("postgres");

describe.skipIf(database === undefined)("rejected credentials (needs PostgreSQL)", () => {
  let runtime: StartedServer;
  let relay: Server;
  let logins = 0;
  const values = (user: string) => ({ host: "127.0.0.1", port: (relay.address() as { port: number }).port, user, database: "postgres" });
  const put = (user: string, query = "") => runtime.api("PUT", `/connections/shop${query}`, { type: "postgres", values: values(user) });
  const stateOf = async () => (await runtime.api("GET", "/connections")).json.connections[0];

  beforeAll(async () => {
    relay = createServer((socket) => {
      logins++;
      const server = connect(database?.port ?? 0, "127.0.0.1");
      socket.pipe(server).pipe(socket);
      for (const end of [socket, server]) end.on("error", () => undefined).on("close", () => [socket, server].forEach((side) => side.destroy()));
    });
    relay.listen(0, "127.0.0.1");
    await once(relay, "listening");
    runtime = await startTestServer();
  });
  afterAll(async () => {
    await runtime.end();
    relay.close();
    await database?.end();
  });

  it("a poll, a listener and a sink together attempt at most one login, and connect with new values", async () => {
    // The next login with the old values is due after 30 s, of which at most 20 pass.
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    expect((await put("nobody_of_that_name", "?force=true")).status).toBe(201);
    logins = 0;
    const flow = `
- route: {id: poll, from: {uri: "sql:select 1 as one?dataSource=#shop&initialDelay=0&delay=50&repeatCount=0", steps: [{log: polled}]}}
- route: {id: listen, from: {uri: "pgevent:x:1/db/sluice_rejected?datasource=#shop&reconnectDelay=50", steps: [{log: notified}]}}
- route: {id: send, from: {uri: "webhook?muteException=false", steps: [{to: "sql:select 2 as two?dataSource=#shop"}]}}
`;
    expect((await runtime.putFlow("shop", flow)).status).toBe(201);
    for (let sent = 0; sent < 50; sent++) expect((await call(runtime.baseUrl, "POST", "/api/send", "x")).status).toBe(500);
    expect(logins).toBeLessThanOrEqual(1);
    expect(await stateOf()).toMatchObject({ state: "down", problem: expect.stringContaining("nobody_of_that_name") });

    expect((await put("postgres")).status).toBe(200);
    await eventually(async () => (await stateOf()).state === "up");
    expect((await call(runtime.baseUrl, "POST", "/api/send", "x")).text).toContain("two");
    const running = async (): Promise<string[]> => (await runtime.api("GET", "/health")).json.routes.map(({ status }: { status: string }) => status);
    let passedMs = 0;
    await eventually(async () => {
      if (passedMs < 20_000) vi.advanceTimersByTime(100);
      passedMs += 100;
      return (await running()).every((status) => status === "Started");
    });
  });

  it("counts the messages that a source received, and how they were settled", async () => {
    const metrics = async (name: string): Promise<number> =>
      Number(new RegExp(`^${name.replaceAll(/[{}"]/g, "\\$&")} (\\d+)$`, "m").exec((await runtime.api("GET", "/metrics")).text)?.[1] ?? Number.NaN);
    await eventually(async () => (await metrics('sluice_source_messages_total{scheme="sql",outcome="done"}')) > 0);
    const { status } = await runtime.putFlow(
      "shop",
      `- route: {id: poll, from: {uri: "sql:select 1 as one?dataSource=#shop&initialDelay=0&delay=20", steps: [{throwException: {exceptionType: java.io.IOException, message: no}}]}}\n`,
    );
    expect(status).toBe(200);
    await eventually(async () => (await metrics('sluice_source_messages_total{scheme="sql",outcome="redelivered"}')) > 2);
    await runtime.api("DELETE", "/flows/shop");
    expect(await metrics('sluice_source_inflight{scheme="sql"}')).toBe(0);
    expect(await metrics('sluice_connection_reconnects_total{connection="shop",type="postgres"}')).toBeGreaterThan(0);
  });
});
