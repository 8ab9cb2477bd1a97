// The faults of docs/operations/connector-faults.md for every broker, on servers used only by this test: connections are dropped or go
// silent, the broker and the runtime are killed, routes are replaced, fail or are slow, passwords are wrong or repeated by the
// broker. No message is lost.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guardedUser, serverFor, serverPrograms, type TestServer } from "@sluice/testkit";
import { expectEventually, sometimesFailingSteps, missingOf, numberedMessages, startBrokerRuntime, uniqueName, type BrokerRuntime } from "../broker-runtime.ts";
import { spawnServer } from "../spawned-server.ts";
import { sleep } from "../started-server.ts";
import { spawnWatched } from "../watched-server.ts";
import { families, type Family, type Partner } from "./broker-families.ts";
import { expectNoSecretShown, failingWebhook } from "./shown-secrets.ts";

// One server for each family: messages that wait for the routes of one family would slow down another family, because Mosquitto writes all of them
// to a file after each change.
const servers = new Map(await Promise.all(families.map(async ({ name, server }) => [name, await serverFor(server, { own: true })] as const)));
afterAll(async () => {
  for (const server of servers.values()) await server?.end();
}, 60_000);

const heartbeatMs = 2000;
const retryPolicy = "errorHandler: {defaultErrorHandler: {redeliveryPolicy: {maximumRedeliveries: 100, redeliveryDelay: 200}}}";
const mebibyte = 1024 * 1024;
/** For tests with thousands of sequential operations. */
const slowMs = 1_800_000;

for (const family of families)
  describe.skipIf(servers.get(family.name) === undefined)(`${family.name} (needs ${serverPrograms[family.server].title})`, () => defineFaultTests(family));

const numberOf = (text: string): number => Number(text.slice("message ".length));

/** The order that the family promises: of all messages, or of those with the same key, which is their last digit. */
function expectOrder({ order }: Family, arrived: readonly string[]): void {
  if (order === "none") return;
  const groups = order === "all" ? [arrived] : Array.from({ length: 10 }, (_, digit) => arrived.filter((text) => text.endsWith(String(digit))));
  for (const group of groups) expect(group).toEqual(group.toSorted((a, b) => numberOf(a) - numberOf(b)));
}

function defineFaultTests(family: Family): void {
  const server = servers.get(family.name) as TestServer;
  let runtime: BrokerRuntime;
  let partner: Partner;
  beforeAll(async () => {
    runtime = await startBrokerRuntime();
    partner = await family.partner(server);
  }, 120_000);
  afterAll(async () => {
    await runtime.end();
    await partner.close();
  }, 120_000);

  /** A route that moves messages and retries for as long as necessary. */
  const movingRoute = (name: string, steps = "", handler = `${retryPolicy}, `): string =>
    `- route: {id: ${name}, ${handler}from: {uri: "${family.from(name)}", steps: [{convertBodyTo: {type: String}}, ${steps}{to: "${family.to(name)}"}]}}`;
  const connectionTo = (port: number, extraValues: object = {}): object => {
    const { type, values } = family.connection(port, heartbeatMs);
    return { type, values: { ...values, ...extraValues } };
  };
  type Api = Pick<BrokerRuntime, "api">;
  const putConnection = async ({ api }: Api, name: string, document: object): Promise<void> => {
    const { status, text } = await api("PUT", `/connections/${name}?force=true`, document);
    if (status >= 300) throw new Error(`the connection was rejected with ${status}: ${text}`);
  };
  const deploy = async (name: string, port: number, flow = movingRoute(name)): Promise<void> => {
    await putConnection(runtime, name, connectionTo(port));
    await runtime.deploy(name, flow);
  };
  const remove = async (name: string, target: Api = runtime): Promise<void> => {
    await target.api("DELETE", `/flows/${name}`);
    await target.api("DELETE", `/connections/${name}`);
  };
  const countReceived = async (name: string): Promise<number> => new Set(await partner.received(name)).size;
  /** Sends all messages, but never more at a time than the broker stores for a consumer. */
  const sendAll = async (name: string, texts: readonly string[]): Promise<void> => {
    const size = Math.min(family.maxMessages, texts.length);
    for (let at = 0; at < texts.length; at += size) {
      await expectEventually(async () => at - (await countReceived(name)) <= size / 2, true, 120_000);
      await partner.send(name, texts.slice(at, at + size));
    }
  };
  /** Fails when messages are missing and no further one arrives; the total time depends on the load of the machine. */
  const waitForAll = async (name: string, count: number, stalledMs = 60_000): Promise<void> => {
    let [found, grewAt] = [0, Date.now()];
    while (found < count) {
      const now = await countReceived(name);
      if (now > found) [found, grewAt] = [now, Date.now()];
      else if (Date.now() - grewAt > stalledMs) throw new Error(`${found} of ${count} messages arrived, and no more within ${stalledMs} ms`);
      await sleep(200);
    }
    expect(missingOf(count, await partner.received(name))).toEqual([]);
  };

  it("connections are dropped 20 times during 20,000 messages: all arrive", { timeout: slowMs }, async () => {
    const [name, count] = [uniqueName(), 20_000];
    const { link, close } = await family.link(server.port);
    await partner.prepare(name);
    await deploy(name, link.port);
    const sending = sendAll(name, numberedMessages(count));
    let cuts = 0;
    const cutting = setInterval(() => cuts++ < 20 && link.cut(), 700);
    await Promise.all([sending, waitForAll(name, count)]).finally(() => clearInterval(cutting));
    expect(cuts).toBeGreaterThan(3);
    await remove(name);
    await close();
  });

  it(`the broker ${family.survivesCrash ? "is killed under load and restarted" : "cannot be reached for a while under load"}: the route recovers, and all messages arrive`, async () => {
    const [name, count] = [uniqueName(), 5000];
    const { link, close } = await family.link(server.port);
    await partner.prepare(name);
    await deploy(name, link.port, movingRoute(name, "{delay: {constant: 1}}, "));
    const sent = Math.min(count, family.maxMessages);
    await partner.send(name, numberedMessages(sent));
    await expectEventually(async () => (await countReceived(name)) > 50, true);
    if (family.survivesCrash) await server.kill();
    else await link.refuse();
    await expectEventually(() => runtime.routeStatus(name), "Failed", 5000);
    if (family.survivesCrash) await server.restart();
    else await link.open();
    await partner.reconnect();
    await expectEventually(() => runtime.routeStatus(name), "Started", 10_000);
    await waitForAll(name, sent);
    await remove(name);
    await close();
  });

  it("the broker is down when a flow is deployed and when the runtime starts: the route starts once it is up", async () => {
    const name = uniqueName();
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    const { link, close } = await family.link(server.port);
    await link.refuse();
    await partner.prepare(name);
    const first = await startBrokerRuntime({}, dataDir);
    await putConnection(first, name, connectionTo(link.port));
    const startTime = Date.now();
    await first.deploy(name, movingRoute(name));
    expect(Date.now() - startTime).toBeLessThan(3000);
    const problem = async ({ api }: Api): Promise<string> => {
      const { connections } = (await api("GET", "/health")).json as { connections: readonly { id: string; state: string; problem?: string }[] };
      const found = connections.find(({ id }) => id === name);
      return found?.state === "down" ? String(found.problem) : "";
    };
    await expect.poll(() => problem(first), { timeout: 5000 }).toMatch(/refused|cannot be reached|closed/i);
    expect(await first.routeStatus(name)).toBe("Failed");
    await first.stop();
    const second = await startBrokerRuntime({}, dataDir);
    await expectEventually(async () => (await problem(second)) !== "", true, 5000);
    await link.open();
    await expectEventually(() => second.routeStatus(name), "Started", 35_000);
    await partner.send(name, numberedMessages(10));
    await waitForAll(name, 10, 30_000);
    await second.end();
    await close();
  });

  it("a route is replaced repeatedly under load: all messages arrive", async () => {
    const [name, count] = [uniqueName(), 5000];
    await partner.prepare(name);
    await deploy(name, server.port);
    const sending = sendAll(name, numberedMessages(count));
    // The mock broker of Kafka lets a member join only after the session of the previous one has expired.
    for (let round = 0; round < (family.server === "kafka" ? 3 : 10); round++) await runtime.deploy(name, `${movingRoute(name)}\n# ${round}`);
    await sending;
    await waitForAll(name, count);
    expect((await runtime.deadLetters()).filter(({ routeId }) => routeId === name)).toEqual([]);
    await remove(name);
  });

  it(
    `20,000 messages while the broker ${family.survivesCrash ? "is killed" : "cannot be reached"} twice and the runtime is killed once: all arrive`,
    { timeout: slowMs },
    async ({ annotate }) => {
      const [name, count] = [uniqueName(), 20_000];
      const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
      const { link, close } = await family.link(server.port);
      await partner.prepare(name);
      const firstRuntime = await spawnServer({ dataDir });
      await putConnection(firstRuntime, name, connectionTo(link.port));
      const { status, text } = await firstRuntime.putFlow(name, movingRoute(name));
      expect([status, text]).toEqual([201, expect.any(String)]);
      const sending = sendAll(name, numberedMessages(count)).catch((error: unknown) => error);
      const waitForReceived = (minCount: number): Promise<void> => expectEventually(async () => (await countReceived(name)) >= minCount, true, 120_000);
      const outage = async (): Promise<void> => {
        // Finish sending first: a send of the test's own client would fail during the outage.
        if (family.maxMessages === Infinity) await sending;
        if (family.survivesCrash) await server.kill();
        else await link.refuse();
        await sleep(500);
        if (family.survivesCrash) await server.restart();
        else await link.open();
        await partner.reconnect();
      };
      await waitForReceived(200);
      await outage();
      const before = await countReceived(name);
      await waitForReceived(before + 200);
      await firstRuntime.end("SIGKILL");
      const secondRuntime = await spawnServer({ dataDir });
      await waitForReceived(before + 600);
      await outage();
      expect(await sending).toBeUndefined();
      await waitForAll(name, count);
      const arrived = await partner.received(name);
      await annotate(`${arrived.length - count} of ${count} messages arrived more than once`);
      // A sender of the test that reconnects during an outage does not keep the order itself.
      if (family.maxMessages === Infinity) expectOrder(family, [...new Set(arrived)]);
      await secondRuntime.end();
      secondRuntime.clean();
      await close();
    },
  );

  it("a route fails for every tenth message: these become dead letters, the others arrive", async () => {
    const [name, count] = [uniqueName(), 500];
    await partner.prepare(name);
    await deploy(name, server.port, movingRoute(name, `${sometimesFailingSteps}, `, ""));
    await sendAll(name, numberedMessages(count));
    const failed = numberedMessages(count).filter((text) => text.endsWith("7"));
    const others = numberedMessages(count).filter((text) => !text.endsWith("7"));
    await expectEventually(() => countReceived(name), others.length, 60_000);
    const deadLetters = async (): Promise<readonly string[]> => (await runtime.deadLetters()).filter(({ routeId }) => routeId === name).map(({ body }) => body);
    await expectEventually(async () => (await deadLetters()).length, failed.length, 60_000);
    expect((await deadLetters()).toSorted()).toEqual(failed.toSorted());
    const arrived = await partner.received(name);
    expectOrder(family, arrived);
    if (family.order !== "none") expect(arrived).toHaveLength(others.length);
    await remove(name);
  });

  it("a silent connection is detected within twice the heartbeat, plus a margin", async () => {
    const name = uniqueName();
    const { link, close } = await family.link(server.port);
    await partner.prepare(name);
    await deploy(name, link.port);
    await partner.send(name, numberedMessages(10));
    await waitForAll(name, 10, 30_000);
    link.silence();
    await expectEventually(() => runtime.routeStatus(name), "Failed", heartbeatMs * 2 + 4000);
    link.silence(false);
    link.cut();
    await expectEventually(() => runtime.routeStatus(name), "Started", 15_000);
    await partner.send(name, numberedMessages(20).slice(10));
    await waitForAll(name, 20, 30_000);
    await remove(name);
    await close();
  });

  it("the password is wrong, then correct: the client rarely retries, then the route starts", async () => {
    const name = uniqueName();
    const { link, close } = await family.link(server.port, true);
    await partner.prepare(name);
    await putConnection(runtime, name, connectionTo(link.port, family.credentials("wrong-password")));
    await runtime.deploy(name, movingRoute(name));
    await expectEventually(() => runtime.routeStatus(name), "Failed");
    const before = link.accepted;
    await sleep(20_000);
    expect(link.accepted - before).toBeLessThanOrEqual(1);
    const { status, text } = await runtime.api("PUT", `/connections/${name}`, connectionTo(link.port, family.credentials(guardedUser.password)));
    expect([status, text]).toEqual([200, expect.any(String)]);
    await expectEventually(() => runtime.routeStatus(name), "Started", 10_000);
    await partner.send(name, numberedMessages(10));
    await waitForAll(name, 10, 30_000);
    await remove(name);
    await close();
  });

  it("a route is far slower than the broker: few messages are held, and no session is lost", async () => {
    const [name, size] = [uniqueName(), 50_000];
    const count = Math.min(2000, family.maxMessages);
    const { link, close } = await family.link(server.port);
    await partner.prepare(name);
    const slow = await spawnWatched();
    await putConnection(slow, name, connectionTo(link.port));
    const shortened = `{setBody: {simple: "\${bodyAs(String).trim()}"}}, `;
    const { status, text } = await slow.putFlow(name, movingRoute(name, `{delay: {constant: 100}}, ${shortened}`));
    expect([status, text]).toEqual([201, expect.any(String)]);
    await partner.send(name, numberedMessages(10));
    await waitForAll(name, 10, 30_000);
    const [before, links] = [await slow.heldBytes(), link.accepted];
    await partner.send(
      name,
      numberedMessages(count + 10)
        .slice(10)
        .map((message) => message.padStart(size)),
    );
    await sleep(heartbeatMs * 5);
    await expectEventually(async () => (await partner.received(name)).length > 30, true, 60_000);
    const waiting = await partner.waiting?.(name);
    const arrived = [...(await partner.received(name))];
    // There are no duplicates, because no session ended.
    expect([new Set(arrived).size, link.accepted]).toEqual([arrived.length, links]);
    if (waiting !== undefined) expect(count + 10 - waiting - arrived.length).toBeLessThanOrEqual(family.window);
    // The growth relative to the 100 MB that were sent, or 25 MB where the broker holds fewer messages.
    expect(((await slow.heldBytes()) - before) / mebibyte).toBeLessThan(20);
    await slow.end();
    slow.clean();
    await close();
  });

  it("1,000 passwords that the broker repeats in its errors are in no log, run, trace or reply", { timeout: slowMs }, async () => {
    const name = uniqueName();
    const { link, close } = await family.link(server.port, true);
    await putConnection(runtime, name, connectionTo(server.port, family.leak.values));
    const makeSecret = (secret: string): Promise<void> => putConnection(runtime, `${name}-login`, connectionTo(link.port, family.credentials(secret)));
    await makeSecret("first-password");
    await runtime.deploy(name, failingWebhook(name, family.leak.steps(name)));
    await expectNoSecretShown(runtime, { name, makeSecret, failure: family.leak.failure });
    await remove(name);
    await runtime.api("DELETE", `/connections/${name}-login`);
    await close();
  });
}
