// The commands for operators against a started runtime: flows, routes, dead letters and status, in the words of the API.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openCliSession, type CliSession } from "./cli-session.ts";
import { stubPartner } from "./stub-partner.ts";
import { call, eventually, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let session: CliSession;
beforeAll(async () => {
  server = await startTestServer();
  session = openCliSession({ SLUICE_RUNTIME: server.baseUrl, SERVICE_DEPLOY_TOKEN: token });
});
afterAll(async () => {
  session.remove();
  await server.end();
});
afterEach(async () => {
  for (const { id } of (await server.api("GET", "/flows")).json.flows) await server.api("DELETE", `/flows/${id}`);
});

const sluice = (...args: readonly string[]) => session.sluice(...args);
const status = async (route: string): Promise<string> =>
  (await server.api("GET", "/health")).json.routes.find(({ id }: { id: string }) => id === route)?.status;
const deployed = async (): Promise<readonly string[]> => (await server.api("GET", "/flows")).json.flows.map(({ id }: { id: string }) => id);
const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;

describe("sluice flows", () => {
  beforeEach(async () => {
    await server.putFlow("billing", replyFlow("billing", "b"));
    await server.putFlow("orders", replyFlow("orders", "one"), { region: "eu" });
    await server.api("PUT", "/auth/orders", { default: "allow" });
  });

  it("lists the flows as a table", async () => {
    const { exit, output } = await sluice("flows");
    expect([exit, output]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^FLOW     STATUS   ROUTES  POLICY  CHANGED\nbilling  Started       1          ${time}\norders   Started       1  yes     ${time}\n$`),
      ),
    ]);
    expect(JSON.parse((await sluice("flows", "--json")).output)).toMatchObject({ total: 2, flows: [{ id: "billing" }, { id: "orders" }] });
  });

  it("shows one with its routes, or only its YAML", async () => {
    expect((await sluice("flows", "show", "orders")).output).toMatch(
      new RegExp(
        `^orders  Started\n  file     orders.yaml\n  changed  ${time}\n  hash     [0-9a-f]{64}\n  policy   yes\n  tests    none\n  params   region\n\nROUTE   STATUS   FROM     PATH\norders  Started  webhook  /api/orders\n$`,
      ),
    );
    expect((await sluice("flows", "show", "orders", "--yaml")).output).toBe(replyFlow("orders", "one"));
  });

  it("removes flows after the question", async () => {
    const question = `Remove flow 'billing' (1 route) with all versions from ${server.baseUrl}? [y/N] `;
    expect(await session.run(["flows", "remove", "billing"], { answer: "n" })).toEqual({ exit: 1, output: "", stderr: `${question}Nothing was changed\n` });
    expect(await deployed()).toEqual(["billing", "orders"]);
    expect(await session.run(["flows", "remove", "billing"], { answer: "y" })).toMatchObject({ exit: 0, output: "Flow 'billing' removed: billing\n" });
    expect(await deployed()).toEqual(["orders"]);
    expect(JSON.parse((await sluice("flows", "remove", "orders", "--yes", "--json")).output)).toMatchObject({
      removed: [{ id: "orders", routes: ["orders"] }],
    });
    expect((await sluice("flows")).stderr).toBe(`No flows at ${server.baseUrl}: deploy one with \`sluice deploy\`\n`);
  });

  it("removes nothing if one of the flows does not exist", async () => {
    expect((await sluice("flows", "remove", "billing", "nosuch", "--yes")).exit).toBe(1);
    expect(await deployed()).toEqual(["billing", "orders"]);
  });
});

describe("sluice routes", () => {
  beforeEach(() => server.putFlow("pair", `${replyFlow("first", "1")}${replyFlow("second", "2")}`));

  it("lists the routes with the numbers of their runs", async () => {
    await call(server.baseUrl, "POST", "/api/first");
    await eventually(async () => (await server.api("GET", "/health")).json.routes[0].inflight === 0);
    expect((await sluice("routes")).output).toMatch(
      new RegExp(
        `^ROUTE   FLOW  STATUS   IN FLIGHT  RUNS  FAILED  LAST RUN\nfirst   pair  Started          0     1       0  ${time}\nsecond  pair  Started          0     0       0\n$`,
      ),
    );
    expect((await sluice("routes", "--flow", "pair", "--status", "Stopped")).stderr).toBe("No routes match\n");
    expect(JSON.parse((await sluice("routes", "--json")).output)).toMatchObject({ total: 2, routes: [{ id: "first" }, { id: "second" }] });
  });

  it("stops, starts, suspends and resumes them", async () => {
    expect(await sluice("routes", "stop", "first", "second")).toEqual({ exit: 0, output: "Route 'first' is Stopped\nRoute 'second' is Stopped\n", stderr: "" });
    expect([await status("first"), await status("second")]).toEqual(["Stopped", "Stopped"]);
    expect((await sluice("routes", "--status", "Stopped")).output).toContain("first   pair  Stopped");
    expect(await sluice("routes", "start", "first", "second")).toMatchObject({ exit: 0 });
    expect((await sluice("routes", "suspend", "first")).output).toBe("Route 'first' is Suspended\n");
    expect([await status("first"), await status("second")]).toEqual(["Suspended", "Started"]);
    expect(JSON.parse((await sluice("routes", "resume", "first", "--json")).output)).toEqual({ routes: [{ id: "first", flowId: "pair", status: "Started" }] });
  });

  it("rejects an action that does not give every route the new status", async () => {
    await sluice("routes", "stop", "first");
    expect(await sluice("routes", "suspend", "second", "first")).toEqual({
      exit: 1,
      output: "Route 'second' is Suspended\nRoute 'first' is Stopped\n",
      stderr: "sluice routes suspend: route 'first' is Stopped, not Suspended: start it with `sluice routes start` first\n",
    });
    expect(await sluice("routes", "stop", "first", "second")).toMatchObject({ exit: 0, stderr: "" });
    expect(await sluice("routes", "resume", "first", "second")).toMatchObject({ exit: 0, output: "Route 'first' is Started\nRoute 'second' is Started\n" });
    expect(await sluice("routes", "start", "first", "second")).toMatchObject({ exit: 0, stderr: "" });
    expect(await sluice("routes", "suspend", "first", "first")).toMatchObject({ exit: 0, output: "Route 'first' is Suspended\n" });
    expect(await sluice("routes", "suspend", "first")).toMatchObject({ exit: 0 });
    expect(await sluice("routes", "start", "first")).toMatchObject({ exit: 0, output: "Route 'first' is Started\n" });
  });

  it("shows one with its trigger, its last error and its capture", async () => {
    await server.putFlow("broken", "- from: {uri: webhook, steps: [{throwException: {exceptionType: java.lang.Exception, message: out of stock}}]}");
    await call(server.baseUrl, "POST", "/api/broken", "x");
    expect(await sluice("routes", "capture", "broken", "--minutes", "10")).toMatchObject({ exit: 0 });
    await eventually(async () => (await sluice("routes", "show", "broken")).output.includes("out of stock"));
    expect((await sluice("routes", "show", "broken")).output).toMatch(
      new RegExp(
        `^broken  Started\n  flow         broken\n  from         webhook\n  path         /api/broken\n  running for  \\S.*\n  in flight    0\n  runs         1\n  failed       1\n  last run     ${time}\n  last error   .*out of stock\n  capture      until ${time}, \\d+ bytes\n$`,
      ),
    );
    expect((await sluice("routes", "capture", "broken", "--stop")).output).toBe("The messages of route 'broken' are not captured\n");
    expect(JSON.parse((await sluice("routes", "show", "broken", "--json")).output)).toMatchObject({
      id: "broken",
      from: "webhook",
      capture: { active: false },
    });
  });
});

describe("sluice routes capture", () => {
  it("captures the messages of a route for a time and up to a size, shows it, and stops", async () => {
    await server.putFlow("first", replyFlow("first", "1"));
    expect((await sluice("routes", "capture", "first")).output).toBe("The messages of route 'first' are not captured\n");
    const before = Date.now();
    const started = JSON.parse((await sluice("routes", "capture", "first", "--minutes", "2", "--max-bytes", "5000", "--json")).output);
    expect(started).toMatchObject({ routeId: "first", active: true, bytes: 0, maxBytes: 5_000 });
    expect(Date.parse(started.until) - before).toBeGreaterThanOrEqual(120_000);
    await call(server.baseUrl, "POST", "/api/first", "a message");
    await eventually(async () => (await server.api("GET", "/routes/first/capture")).json.bytes > 0);
    expect((await sluice("routes", "capture", "first")).output).toMatch(
      new RegExp(`^The messages of route 'first' are captured until ${started.until}, [1-9]\\d* bytes so far\n$`),
    );
    expect(JSON.parse((await sluice("routes", "capture", "first", "--stop", "--json")).output)).toMatchObject({ routeId: "first", active: false });
  });
});

describe("sluice dead-letters", () => {
  const flow = (steps: string): string =>
    `- errorHandler: {deadLetterChannel: "sluice:dead-letters"}\n- route: {id: intake, from: {uri: webhook, steps: [{setHeader: {name: stage, constant: checked}}, ${steps}]}}\n`;
  const failing = flow("{throwException: {id: check, exceptionType: java.lang.IllegalStateException, message: 'no stock for ${body}'}}");
  const working = flow("{setBody: {constant: fine}}");
  const ids = async (): Promise<readonly string[]> => (await server.api("GET", "/dead-letters")).json.deadLetters.map(({ id }: { id: string }) => id);
  beforeEach(async () => {
    await server.putFlow("intake", failing);
    for (const body of ["tea", "cake\u001B[31m"]) await call(server.baseUrl, "POST", "/api/intake", body, { "content-type": "text/plain", "X-Src": "shop" });
  });
  afterEach(async () => {
    for (const id of await ids()) await server.api("DELETE", `/dead-letters/${id}`);
  });

  it("lists them, newest first", async () => {
    const [newest, oldest] = await ids();
    const { exit, output } = await sluice("dead-letters");
    expect([exit, output]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^DEAD LETTER                 AT                        ROUTE   ATTEMPTS  BYTES  ERROR\n${newest}  ${time}  intake         1 +\\d+  java.lang.IllegalStateException: no stock for cake \\[31m\n${oldest}  .* no stock for tea\n$`,
        ),
      ),
    ]);
    expect((await sluice("dead-letters", "--text", "tea", "--since", "1h", "--flow", "intake")).output.split("\n")).toHaveLength(3);
    expect((await sluice("dead-letters", "--until", "1h")).stderr).toBe("No dead letters\n");
    expect((await sluice("dead-letters", "--limit", "1")).stderr).toBe("1 of 2 dead letters; --limit shows more\n");
    expect(JSON.parse((await sluice("dead-letters", "--route", "intake", "--json")).output)).toMatchObject({
      total: 2,
      deadLetters: [{ id: newest }, { id: oldest }],
    });
  });

  it("shows one with its message, without control characters", async () => {
    const [newest = ""] = await ids();
    const { output } = await sluice("dead-letters", "show", newest);
    expect(output).toContain("  error     java.lang.IllegalStateException: no stock for cake [31m\n  at step   check\n");
    expect(output).toMatch(/\nInput \(bytes, 9 bytes\)\n[^]*X-Src +shop\n[^]*\n\ncake \[31m\n\nMessage at the failed step \(/);
    expect(output).toContain(`Replay it: sluice dead-letters replay ${newest}\n`);
    expect(output).not.toContain("\u001B");
  });

  it("replays one: a replay that fails again ends with exit code 1", async () => {
    const [, oldest = ""] = await ids();
    expect(await sluice("dead-letters", "replay", oldest)).toMatchObject({
      exit: 1,
      output: expect.stringMatching(new RegExp(`^${oldest} failed again: run_\\S+ \\w+, java.lang.IllegalStateException: no stock for tea\n$`)),
    });
    await server.putFlow("intake", working);
    expect(await sluice("dead-letters", "replay", oldest)).toMatchObject({
      exit: 0,
      output: expect.stringMatching(new RegExp(`^${oldest} replayed: run_\\S+ completed\n$`)),
    });
    expect(await ids()).toHaveLength(1);
  });

  it("replays all of a route after the question", async () => {
    expect(await session.run(["dead-letters", "replay", "--route", "intake"], { answer: "no" })).toMatchObject({
      exit: 1,
      stderr: `Replay 2 dead letters at ${server.baseUrl}? [y/N] Nothing was changed\n`,
    });
    expect(await sluice("dead-letters", "replay", "--route", "intake", "--limit", "1", "--yes")).toMatchObject({
      exit: 1,
      output: "0 of 1 dead letter replayed, 1 failed again\n",
    });
    await server.putFlow("intake", working);
    expect(await sluice("dead-letters", "replay", "--flow", "intake", "--yes")).toMatchObject({ exit: 0, output: "2 of 2 dead letters replayed\n" });
    expect(await ids()).toEqual([]);
    expect(await sluice("dead-letters", "replay", "--flow", "intake")).toMatchObject({ exit: 0, output: "0 of 0 dead letters replayed\n" });
  });

  it("deletes by id and by filter, after the question", async () => {
    const [newest = "", oldest] = await ids();
    const named = (id?: string): string => `'${id}' (route 'intake')`;
    expect(await session.run(["dead-letters", "delete", newest, oldest as string], { answer: "no" })).toEqual({
      exit: 1,
      output: "",
      stderr: `Delete dead letters ${named(newest)}, ${named(oldest)} from ${server.baseUrl}? [y/N] Nothing was changed\n`,
    });
    expect(await sluice("dead-letters", "delete", newest)).toEqual({
      exit: 2,
      output: "",
      stderr: `sluice dead-letters delete: pass --yes to delete dead letter ${named(newest)} from ${server.baseUrl}: there is no terminal to ask for confirmation\n`,
    });
    expect(await session.run(["dead-letters", "delete", "--route", "intake"], { answer: "no" })).toMatchObject({
      exit: 1,
      stderr: `Delete 2 dead letters from ${server.baseUrl}? [y/N] Nothing was changed\n`,
    });
    expect(await session.run(["dead-letters", "delete", newest], { answer: "yes" })).toMatchObject({ exit: 0, output: "1 dead letter deleted\n" });
    expect((await sluice("dead-letters", "delete", "--text", "nothing", "--yes")).output).toBe("0 dead letters deleted\n");
    expect(JSON.parse((await sluice("dead-letters", "delete", "--text", "tea", "--yes", "--json")).output)).toEqual({ deleted: 1 });
    expect(await ids()).toEqual([]);
  });

  it.each(["delete", "replay"])("does not %s any if one of the ids does not exist, and does not ask", async (action) => {
    await server.putFlow("intake", working);
    const all = await ids();
    expect(await session.run(["dead-letters", action, ...all, "nosuch"], { answer: "yes" })).toEqual({
      exit: 1,
      output: "",
      stderr: `sluice dead-letters ${action}: dead letter 'nosuch' not found\n`,
    });
    expect(await ids()).toEqual(all);
  });

  it("shows and cancels a replay by filters from another terminal, by the id that the replay prints", async () => {
    for (const body of ["3", "4", "5", "6"]) await call(server.baseUrl, "POST", "/api/intake", body);
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const partner = await stubPartner((_, response) => void gate.then(() => response.end()));
    await server.putFlow("intake", flow(`{to: "${partner.url}"}`));
    let announce: (id: string) => void = () => undefined;
    const announced = new Promise<string>((resolve) => (announce = resolve));
    const replaying = session.run(["dead-letters", "replay", "--route", "intake", "--yes"], {
      onWrite: (text) => {
        const [, id] = /^Replay (\S+) has started: `sluice dead-letters show-replay \1` shows its progress$/m.exec(text) ?? [];
        if (id !== undefined) announce(id);
      },
    });
    const id = await announced;
    expect(await sluice("dead-letters", "show-replay", id)).toEqual({ exit: 0, output: "Running: 0 of 6 dead letters replayed\n", stderr: "" });
    expect(await sluice("dead-letters", "cancel-replay", id)).toEqual({
      exit: 0,
      output: "Running: 0 of 6 dead letters replayed\n",
      stderr: "No further replays start; those that have started are finished\n",
    });
    open();
    expect(await replaying).toMatchObject({ exit: 1, output: "Cancelled: 4 of 6 dead letters replayed\n" });
    expect(JSON.parse((await sluice("dead-letters", "show-replay", id, "--json")).output)).toMatchObject({ id, status: "cancelled", total: 6, replayed: 4 });
    await partner.close();
  });

  it("cancels a replay of many when it is interrupted, and waits for those that have started", async () => {
    for (const body of ["3", "4", "5", "6"]) await call(server.baseUrl, "POST", "/api/intake", body);
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const partner = await stubPartner((_, response) => void gate.then(() => response.end()));
    await server.putFlow("intake", flow(`{to: "${partner.url}"}`));
    const { fetch: originalFetch } = globalThis;
    globalThis.fetch = async (input, init) => {
      const response = await originalFetch(input, init);
      // The response to the cancellation: four of six have started.
      if (init?.method === "DELETE" && String(input).includes("/dead-letters/replays/")) open();
      return response;
    };
    const replaying = session.run(["dead-letters", "replay", "--route", "intake", "--yes"], { answer: "", until: "0/6 replayed" });
    expect(await replaying.finally(() => (globalThis.fetch = originalFetch))).toMatchObject({ exit: 1, output: "Cancelled: 4 of 6 dead letters replayed\n" });
    expect(await ids()).toHaveLength(2);
    await partner.close();
  });
});

describe("sluice status", () => {
  it("summarizes a runtime that is UP", async () => {
    await server.putFlow("orders", replyFlow("orders", "x"));
    await sluice("routes", "stop", "orders");
    const { exit, output } = await sluice("status");
    expect([exit, output]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^UP  ${server.baseUrl}\n  running for +\\S.*, since ${time}\n  version +0\\.1\\.0, API 1\n  flows +1\n  routes +1 Stopped\n  runs +0 in flight, 0 since the start, 0 failed\n  dead letters +0\n  memory +\\d+ MiB, .*\n  event loop +lag p99 .*\n$`,
        ),
      ),
    ]);
    expect(JSON.parse((await sluice("status", "--json")).output)).toMatchObject({ status: "UP", baseUrl: server.baseUrl, flows: 1, deadLetters: 0 });
  });

  it("lists what is wrong and ends with exit code 1", async () => {
    await server.putFlow("orders", replyFlow("orders", "x"));
    await server.putFlow("sends", "- from: {uri: 'kafka:a?brokers=127.0.0.1:9', steps: [{log: x}]}");
    await eventually(async () => (await server.api("GET", "/health")).json.status === "DEGRADED");
    const { exit, output } = await sluice("status");
    expect([exit, output]).toEqual([1, expect.stringMatching(/^DEGRADED {2}[^]*\n\n[^]*✗ route 'sends' of flow 'sends' is Failed: /)]);
  });

  it("asks a probe without a token", async () => {
    const withoutToken = { SERVICE_DEPLOY_TOKEN: undefined };
    expect(await session.run(["status", "--probe", "ready"], { env: withoutToken })).toEqual({ exit: 0, output: "UP\n", stderr: "" });
    expect(await session.run(["status"], { env: withoutToken })).toMatchObject({ exit: 1, stderr: expect.stringContaining("requires a deploy token") });
  });
});

describe("sluice connections", () => {
  it("defines, lists, shows, tests and removes a connection", async () => {
    session.put({ "shop.json": '{"type": "sqlite", "title": "Shop", "values": {"file": "shop.db"}}' });
    expect((await sluice("connections", "put", "shop", "shop.json")).output).toBe("Connection 'shop' defined\n");
    expect((await sluice("connections")).output).toBe("CONNECTION  TYPE    STATE\nshop        sqlite  idle\n");
    expect((await sluice("connections", "show", "shop")).output).toBe("shop  sqlite\n  title  Shop\n  file   shop.db\n");
    expect((await sluice("connections", "test")).output).toMatch(/^✓ shop {2}SQLite .* \(\d+ ms\)\n$/);
    expect(await session.run(["connections", "remove", "shop"], { answer: "y" })).toMatchObject({ exit: 0, output: "Connection 'shop' removed\n" });
    expect((await sluice("connections")).stderr).toBe(`No connections at ${server.baseUrl}\n`);
  });
});
