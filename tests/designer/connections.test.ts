// Connections defined, tested and chosen in a real browser and used by a real runtime: a SQLite database as a connection that
// works, and a closed port as a connection that fails.
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { serverFor, type TestServer } from "@sluice/testkit";
import { connect } from "@nats-io/transport-node";
import { jetstreamManager } from "@nats-io/jetstream";
import { eventually, startTestServer, token, type StartedServer } from "../started-server.ts";
import { hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const insertFlow = (reference: string): string => `- route:
    id: insert
    from:
      uri: webhook
      steps:
        - to:
            id: store
            uri: sql:select 1 as one
            parameters:
              dataSource: "${reference}"
`;

const sendFlow = (uri: string): string => `- route:\n    id: send\n    from:\n      uri: webhook\n      steps:\n        - to:\n            uri: ${uri}\n`;

/** No server listens on port 1. */
const unreachableServer = { host: "127.0.0.1", port: 1 };
/** Values of each connection type. */
const valuesByType: Readonly<Record<string, object>> = {
  amqp: { url: "amqp://127.0.0.1:1" },
  jdbc: { url: "jdbc:postgresql://127.0.0.1:1/shop" },
  kafka: { brokers: "127.0.0.1:1" },
  mqtt: { brokerUrl: "tcp://127.0.0.1:1" },
  mysql: unreachableServer,
  nats: { servers: "127.0.0.1:1" },
  postgres: unreachableServer,
  rabbitmq: unreachableServer,
  redis: unreachableServer,
  sqlite: { file: ":memory:" },
};

/** An endpoint of every connector with an option for its connection, and a matching type. `jdbc:` is missing, because its address is the connection name. */
const connectorsWithConnection: readonly { readonly uri: string; readonly type: string }[] = [
  { uri: "amqp:orders", type: "amqp" },
  { uri: "kafka:orders", type: "kafka" },
  { uri: "nats:orders", type: "nats" },
  { uri: "paho:orders", type: "mqtt" },
  { uri: "paho-mqtt5:orders", type: "mqtt" },
  { uri: "pgevent:orders", type: "postgres" },
  { uri: "spring-rabbitmq:orders", type: "rabbitmq" },
  { uri: "spring-redis:localhost:6379", type: "redis" },
  { uri: "sql:select 1 as one", type: "jdbc" },
  { uri: "sql-stored:add(INTEGER 1)", type: "mysql" },
];

const nats = await serverFor("nats", { own: true });

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(!hasBrowser)("connections (needs Chromium)", () => {
  let runtime: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    if (nats === undefined) return;
    const client = await connect({ servers: `127.0.0.1:${nats.port}` });
    await (await jetstreamManager(client)).streams.add({ name: "orders", subjects: ["orders.new", "orders.paid"] });
    await client.close();
  });
  afterAll(() => nats?.end());

  beforeEach(async () => {
    runtime = await startTestServer();
    designer = await startTestDesigner(runtime.baseUrl, { environment: { SLUICE_TEST_TOKEN: token } });
    opened = await openPage();
    page = opened.page;
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    await runtime.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const sqlite = (id: string) => runtime.api("PUT", `/connections/${id}`, { type: "sqlite", values: { file: ":memory:" } });
  const unreachable = async (id: string, port: number) =>
    runtime.api("PUT", `/connections/${id}?force=true`, {
      type: "postgres",
      values: { host: "127.0.0.1", port, user: "shop", password: "s3cr3t-of-the-shop" },
    });
  const stored = (id: string): string => readFileSync(join(runtime.dataDir, "connections", `${id}.json`), "utf8");

  it("is created from the palette, tested, saved, and shown with its state and users", async () => {
    await page.goto(`${designer.url}/flows`);
    await page.getByRole("link", { name: "Connections" }).click();
    await page.getByText("No connections yet").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("new connection");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("Name").fill("Order archive");
    await page.getByLabel("Type").selectOption({ label: "SQLite" });
    await page.getByText("A database in a file, without a server process.").waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    const file = page.getByLabel("File (required)");
    await file.waitFor();
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await expect.poll(() => file.getAttribute("aria-invalid"), soon).toBe("true");
    await file.fill(":memory:");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText(/^Connected to SQLite .* in \d+ ms\.$/).waitFor();
    expect((await runtime.api("GET", "/connections")).json.total).toBe(0);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^Saved. In effect since/).waitFor();
    expect(JSON.parse(stored("order-archive"))).toEqual({ type: "sqlite", title: "Order archive", values: { file: ":memory:" } });

    expect((await runtime.putFlow("insert", insertFlow("#order-archive"))).status).toBe(201);
    await page.getByRole("link", { name: "All connections" }).click();
    const row = page.getByRole("row", { name: /Order archive/ });
    await row.getByText("SQLite", { exact: true }).waitFor();
    await row.getByRole("link", { name: "insert" }).waitFor();
    expect((await fetch(`${runtime.baseUrl}/api/insert`, { method: "POST" })).status).toBe(200);
    await row.getByText("Up", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Test order-archive" }).click();
    await row.getByText(/^Connected to SQLite/).waitFor();
  });

  it("shows secrets as ***, keeps unchanged ones, and saves a failing connection only on request", async () => {
    await unreachable("shop", await closedPort());
    await page.goto(`${designer.url}/connections/shop`);
    const password = page.getByLabel("Password", { exact: true });
    await expect.poll(() => password.inputValue(), soon).toBe("***");
    await page.getByLabel("User", { exact: true }).fill("clerk");
    await page.getByText("Unsaved changes").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^Failed: .*ECONNREFUSED.*No server is listening: check host and port/).waitFor();
    expect(stored("shop")).toContain('"user": "shop"');
    await page.getByRole("button", { name: "Save anyway" }).click();
    await page.getByText(/^Saved. In effect since/).waitFor();
    expect(JSON.parse(stored("shop")).values).toMatchObject({ user: "clerk", password: { value: "s3cr3t-of-the-shop", secret: true } });
    await expect.poll(() => password.inputValue(), soon).toBe("***");
    await page.getByRole("button", { name: "Replace password" }).click();
    await page.getByLabel("Password source").selectOption("env");
    await password.fill("SHOP_PASSWORD");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByRole("alert").getByText("the variable 'SHOP_PASSWORD' of 'password' is not set").first().waitFor();
    await expect.poll(() => password.getAttribute("aria-invalid"), soon).toBe("true");
    expect(await page.content()).not.toContain("s3cr3t-of-the-shop");
  });

  it("is deleted after a confirmation, but not while a flow uses it", async () => {
    await sqlite("orders");
    await sqlite("other");
    await runtime.putFlow("insert", insertFlow("#orders"));
    await page.goto(`${designer.url}/connections/orders`);
    await page.getByRole("region", { name: "Used by" }).getByRole("link", { name: "insert" }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("It is used by insert.").waitFor();
    await expect.poll(() => page.getByRole("dialog").getByRole("button", { name: "Delete" }).isDisabled(), soon).toBe(true);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.goto(`${designer.url}/connections/other`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("row", { name: /orders/ }).waitFor();
    expect((await runtime.api("GET", "/connections")).json.connections.map(({ id }: { id: string }) => id)).toEqual(["orders"]);
  });

  it("is selected in the form of a step, which lists only matching connections", async () => {
    await sqlite("orders");
    await unreachable("shop", await closedPort());
    await runtime.api("PUT", "/connections/cache?force=true", { type: "redis", values: {} });
    designer.writeFlow("insert", insertFlow("#nothing"));
    await page.goto(`${designer.url}/flows/insert`);
    await page.getByRole("treeitem").nth(1).click();
    const picker = page.getByLabel("Data source", { exact: true });
    await expect
      .poll(() => picker.locator("option").allInnerTexts(), soon)
      .toEqual(["Default (the only matching connection)", "#nothing", "orders, SQLite", "shop, PostgreSQL"]);
    await picker.selectOption("orders");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await eventually(() => designer.flowText("insert").includes('dataSource: "#orders"'));
    await page.getByRole("link", { name: "Open connection" }).click();
    await page.getByLabel("File (required)").waitFor();
  });

  it("can be chosen in the form of every connector", async () => {
    for (const [type, values] of Object.entries(valuesByType))
      expect((await runtime.api("PUT", `/connections/some-${type}?force=true`, { type, values })).status).toBe(201);
    const steps = connectorsWithConnection.map(({ uri }) => `        - to: ${JSON.stringify(uri)}\n`).join("");
    designer.writeFlow("all", `- route:\n    id: all\n    from:\n      uri: webhook\n      steps:\n${steps}`);
    await page.goto(`${designer.url}/flows/all`);
    for (const [index, { uri, type }] of connectorsWithConnection.entries()) {
      await page
        .getByRole("treeitem")
        .nth(index + 1)
        .click();
      const choices = page.locator("select:has(option)").filter({ has: page.locator("option", { hasText: `some-${type}` }) });
      await expect.poll(() => choices.count(), { ...soon, message: uri }).toBe(1);
    }
  });

  /** A database file below the data directory with these tables. */
  const database = async (id: string, ...tables: readonly string[]): Promise<void> => {
    expect((await runtime.api("PUT", `/connections/${id}`, { type: "sqlite", values: { file: `${id}.db` } })).status).toBe(201);
    const steps = tables.map((table) => `        - to: {uri: "sql:create table ${table} (id int)", parameters: {dataSource: "#${id}"}}\n`).join("");
    expect((await runtime.putFlow("tables", `- route:\n    id: tables\n    from:\n      uri: webhook\n      steps:\n${steps}        - log: x\n`)).status).toBe(
      201,
    );
    expect((await fetch(`${runtime.baseUrl}/api/tables`, { method: "POST" })).status).toBe(200);
    await runtime.api("DELETE", "/flows/tables");
  };

  it("lists what exists on its server, and reports when nothing does or the server is down", async () => {
    await database("orders", "invoices", "order_lines", "orders");
    await page.goto(`${designer.url}/connections/orders`);
    const contents = page.getByRole("region", { name: "On the server" });
    await contents.getByRole("button", { name: "List tables" }).click();
    const names = contents.getByRole("list", { name: "Tables of orders" });
    await expect.poll(() => names.getByRole("listitem").allInnerTexts(), soon).toEqual(["invoices", "order_lines", "orders"]);
    await contents.getByLabel("Starts with").fill("ord");
    await expect.poll(() => names.getByRole("listitem").allInnerTexts(), soon).toEqual(["order_lines", "orders"]);
    await contents.getByLabel("Starts with").fill("x");
    await contents.getByText("No tables start with 'x'.").waitFor();
    await sqlite("empty");
    await page.goto(`${designer.url}/connections/empty`);
    await contents.getByRole("button", { name: "List tables" }).click();
    await contents.getByText("No tables found.").waitFor();
    await unreachable("shop", await closedPort());
    await page.goto(`${designer.url}/connections/shop`);
    await contents.getByRole("button", { name: "List tables" }).click();
    await contents.getByText("Loading…").or(contents.getByRole("alert")).first().waitFor();
    await contents
      .getByRole("alert")
      .getByText(/connection 'shop' failed: .*ECONNREFUSED/)
      .waitFor();
    expect(await page.content()).not.toContain("s3cr3t-of-the-shop");
    await expect.poll(() => contents.getByRole("button", { name: "Refresh" }).isEnabled(), soon).toBe(true);
  });

  it("offers the tables of the server in the form of a step, and inserts the chosen one into the statement", async () => {
    await database("orders", "invoices", "orders");
    designer.writeFlow("insert", insertFlow("#orders").replace("select 1 as one", "select * from"));
    await page.goto(`${designer.url}/flows/insert`);
    await page.getByRole("treeitem").nth(1).click();
    await page.getByRole("button", { name: "Choose from the tables on the server: Query" }).click();
    const picker = page.getByRole("dialog", { name: "Tables of orders" });
    await picker.getByRole("option", { name: "invoices" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await picker.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await eventually(() => designer.flowText("insert").includes("uri: sql:select * from orders\n"));
  });

  it("shows an error in the picker when the server is down, and no picker without a saved connection", async () => {
    await unreachable("shop", await closedPort());
    designer.writeFlow("insert", insertFlow("#shop"));
    await page.goto(`${designer.url}/flows/insert`);
    await page.getByRole("treeitem").nth(1).click();
    const button = page.getByRole("button", { name: /^Choose from the tables/ });
    await button.click();
    await page
      .getByRole("dialog")
      .getByRole("alert")
      .getByText(/ECONNREFUSED/)
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Try again" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Data source", { exact: true }).selectOption("");
    await runtime.api("DELETE", "/connections/shop");
    await button.waitFor({ state: "detached" });
  });

  it.skipIf(nats === undefined)("replaces the subject of a broker's endpoint (needs NATS)", async () => {
    await runtime.api("PUT", "/connections/events", { type: "nats", values: { servers: `127.0.0.1:${nats?.port}` } });
    designer.writeFlow("send", sendFlow("nats:old?flushTimeout=2000"));
    await page.goto(`${designer.url}/flows/send`);
    await page.getByRole("treeitem").nth(1).click();
    await page.getByRole("button", { name: /^Choose from the subjects on the server/ }).click();
    await page.getByRole("dialog").getByRole("combobox").fill("orders.p");
    await page.getByRole("option", { name: "orders.paid" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await eventually(() => designer.flowText("send").includes("uri: nats:orders.paid?flushTimeout=2000"));
  });

  it.skipIf(nats === undefined)("shows a stopped server as down, with the reason and the flows that use it (needs NATS)", async () => {
    const server = nats as TestServer;
    expect((await runtime.api("PUT", "/connections/events", { type: "nats", values: { servers: `127.0.0.1:${server.port}` } })).status).toBe(201);
    await runtime.putFlow("send", sendFlow("nats:orders.new"));
    expect((await fetch(`${runtime.baseUrl}/api/send`, { method: "POST" })).status).toBe(200);
    await page.goto(`${designer.url}/connections`);
    const row = page.getByRole("row", { name: /events/ });
    await row.getByText("Up", { exact: true }).waitFor();
    await server.kill();
    await row.getByText("Down", { exact: true }).waitFor();
    await row.getByRole("link", { name: "send" }).waitFor();
    await row.getByRole("button", { name: "Test events" }).click();
    await row
      .getByText(/refused/i)
      .first()
      .waitFor();
  });
});
