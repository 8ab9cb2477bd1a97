// Routes that an operator stopped or suspended, across restarts, crashes and new versions.
import { chmodSync, existsSync, mkdtempSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { spawnServer } from "./spawned-server.ts";
import { call, eventually, replyFlow, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let dataDir: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sluice-states-"));
  server = await startTestServer({ dataDir });
});
afterEach(() => server.end());

async function restart(): Promise<void> {
  await server.stop();
  server = await startTestServer({ dataDir });
}

const post = (path: string) => call(server.baseUrl, "POST", path, "x");
const changeRoute = (route: string, action: string) => server.api("POST", `/routes/${route}/${action}`);
const status = async (flow: string): Promise<string> => (await server.api("GET", `/flows/${flow}`)).json.status;
const stateFile = (flow: string): string => join(dataDir, "route-states", `${flow}.json`);

const shopFlow = `- route:
    id: orders
    from:
      uri: platform-http:/shop/orders
      steps: [{setBody: {constant: served}}]
- route:
    id: invoices
    from: {uri: webhook, steps: [{setBody: {constant: served}}]}
`;

describe("a route that an operator suspended or stopped", () => {
  it.each([
    ["suspend", "Suspended", "resume"],
    ["stop", "Stopped", "start"],
  ])("%s: it is still %s after a restart, its callers get 503, and it can be started again permanently", async (action, state, undo) => {
    await server.putFlow("shop", shopFlow);
    await changeRoute("orders", action);
    await restart();
    const routes = (await server.api("GET", "/flows/shop")).json.routes;
    expect(routes).toMatchObject([
      { id: "orders", status: state },
      { id: "invoices", status: "Started" },
    ]);
    for (const path of ["/shop/orders", "/api/orders"]) {
      const reply = await post(path);
      expect([path, reply.status, reply.headers.get("retry-after")]).toEqual([path, 503, "1"]);
    }
    expect((await post("/api/invoices")).text).toBe("served");
    expect(server.logText()).toContain(`Flow 'shop': route 'orders' stays ${state.toLowerCase()}: POST /_api/routes/orders/${undo} starts it`);
    expect((await changeRoute("orders", undo)).json).toEqual({ id: "orders", flowId: "shop", status: "Started" });
    expect((await post("/shop/orders")).text).toBe("served");
    expect(existsSync(stateFile("shop"))).toBe(false);
    await restart();
    expect((await post("/shop/orders")).text).toBe("served");
  });

  it("keeps its state in a new version, whose deployment reports it, and after a rollback", async () => {
    await server.putFlow("orders", replyFlow("orders", "one"));
    await changeRoute("orders", "suspend");
    const reply = await server.putFlow("orders", replyFlow("orders", "two"));
    expect(reply.json).toMatchObject({
      routes: [{ id: "orders", status: "Suspended" }],
      warnings: ["route 'orders' stays suspended: POST /_api/routes/orders/resume starts it"],
    });
    await server.api("POST", "/flows/orders/rollback", { revision: 1 });
    expect([await status("orders"), (await post("/api/orders")).status]).toEqual(["Suspended", 503]);
    await changeRoute("orders", "resume");
    expect((await post("/api/orders")).text).toBe("one");
  });

  it("loses its state when it or its flow is removed", async () => {
    await server.putFlow("shop", shopFlow);
    await changeRoute("orders", "suspend");
    await server.putFlow("shop", replyFlow("other", "x"));
    expect(existsSync(stateFile("shop"))).toBe(false);
    expect((await server.putFlow("shop", shopFlow)).json.routes).toMatchObject([{ status: "Started" }, { status: "Started" }]);
    await changeRoute("orders", "stop");
    await server.api("DELETE", "/flows/shop");
    expect(existsSync(stateFile("shop"))).toBe(false);
    expect((await server.putFlow("shop", shopFlow)).json.routes[0].status).toBe("Started");
  });

  it("loses its state when the file of its flow is deleted by hand", async () => {
    await server.stop();
    server = await startTestServer({ dataDir, env: { SERVICE_WATCH: "true" } });
    await server.putFlow("shop", shopFlow);
    await changeRoute("orders", "stop");
    expect(existsSync(stateFile("shop"))).toBe(true);
    unlinkSync(join(server.routesDir, "shop.yaml"));
    await eventually(async () => (await server.api("GET", "/flows/shop")).status === 404);
    await eventually(() => server.logText().includes("Removed flow 'shop'"));
    expect(existsSync(stateFile("shop"))).toBe(false);
    writeFileSync(join(server.routesDir, "shop.yaml"), shopFlow);
    await eventually(async () => (await server.api("GET", "/flows/shop")).json.routes?.length === 2);
    expect((await server.api("GET", "/flows/shop")).json.routes).toMatchObject([{ status: "Started" }, { status: "Started" }]);
  });

  it("does not fire its timer after a restart until it is resumed", async () => {
    await server.putFlow("ticker", "- route:\n    id: ticker\n    from:\n      uri: timer:t?period=20&delay=0\n      steps: [{setBody: {constant: x}}]\n");
    const total = async (): Promise<number> => (await server.api("GET", "/runs?routeId=ticker")).json.total;
    await eventually(async () => (await total()) > 0);
    await changeRoute("ticker", "suspend");
    await restart();
    expect([await status("ticker"), await total()]).toEqual(["Suspended", 0]);
    await changeRoute("ticker", "resume");
    await eventually(async () => (await total()) > 0);
  });

  it("keeps its state after kill -9", async () => {
    const first = await spawnServer();
    await first.putFlow("orders", replyFlow("orders", "one"));
    expect((await first.api("POST", "/routes/orders/suspend")).json.status).toBe("Suspended");
    await first.end("SIGKILL");
    const second = await spawnServer({ dataDir: first.dataDir });
    expect((await second.api("GET", "/flows/orders")).json.status).toBe("Suspended");
    expect((await call(second.baseUrl, "POST", "/api/orders", "x")).status).toBe(503);
    await second.end();
    second.clean();
  });

  it("can be suspended by a flow; a restart of the route by a flow is not stored", async () => {
    await server.putFlow("orders", replyFlow("orders", "one"));
    await server.putFlow(
      "operator",
      `- route: {id: suspending, from: {uri: webhook, steps: [{to: "controlbus:route?routeId=orders&action=suspend"}]}}
- route: {id: restarting, from: {uri: webhook, steps: [{to: "controlbus:route?routeId=orders&action=restart&restartDelay=1"}]}}
`,
    );
    expect((await post("/api/restarting")).status).toBe(200);
    expect(existsSync(stateFile("orders"))).toBe(false);
    expect((await post("/api/suspending")).status).toBe(200);
    expect(JSON.parse(readFileSync(stateFile("orders"), "utf8"))).toEqual({ suspended: ["orders"], stopped: [] });
    await restart();
    expect(await status("orders")).toBe("Suspended");
  });
});

it("a state that cannot be read is reported, and its routes start as declared", async () => {
  await server.putFlow("orders", replyFlow("orders", "one"));
  await changeRoute("orders", "suspend");
  writeFileSync(stateFile("orders"), '{"suspended": "orders"}');
  await restart();
  expect([await status("orders"), (await post("/api/orders")).text]).toEqual(["Started", "one"]);
  expect(server.logText()).toContain("The route states of flow 'orders' cannot be read: its routes start as declared");
});

it.skipIf(process.getuid?.() === 0)("a read-only data directory: the route is suspended, with a warning (needs a user other than root)", async () => {
  await server.putFlow("orders", replyFlow("orders", "one"));
  chmodSync(join(dataDir, "route-states"), 0o500);
  const reply = await changeRoute("orders", "suspend");
  chmodSync(join(dataDir, "route-states"), 0o700);
  expect([reply.status, reply.json.status, reply.json.warnings]).toEqual([
    200,
    "Suspended",
    ["route 'orders' returns to its previous state after a restart: cannot change 'orders.json': permission denied in the data directory"],
  ]);
});
