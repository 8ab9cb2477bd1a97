// The screens of policies, connections and mappings with data, and the forms, lists and menus of the editor, checked with axe-core.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { enableAxe, findingsInBothThemes, findingsOfScreen } from "../../designer/axe.ts";
import { hasBrowser, openPage, type OpenPage } from "../../designer/browser.ts";
import { startTestDesigner, type StartedDesigner } from "../../designer/started-designer.ts";
import { replyFlow, startTestServer, token, type StartedServer } from "../../started-server.ts";

const policy = {
  authenticate: [
    { type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "shop", key: "s3cr3t-of-the-shop", roles: ["write"] }] },
    { type: "hmac", preset: "github", secrets: ["first-secret", { env: "GH_SECRET" }], roles: ["hooks"] },
  ],
  rules: [{ methods: ["POST"], roles: ["write", "hooks"] }],
  default: "deny",
  rateLimit: { limit: 1000, windowSec: 60, by: "ip" },
  cors: { origins: ["*"] },
};

const units = {
  name: "Units of measure",
  columns: ["shop", "sap"],
  rows: [
    ["piece", "ST"],
    ["box", "KAR"],
  ],
};
const order = {
  name: "Order to ERP",
  source: { format: "json" },
  target: { format: "json" },
  map: [{ to: "orderNo", from: "id", required: true }],
  tests: [{ name: "one", input: { id: "A" }, output: { orderNo: "A" } }],
};

const forms = `- route:
    id: axe
    from:
      uri: direct:axe
      steps:
        - log: one
        - setHeaders:
            headers:
              - name: a
                constant: b
        - marshal:
            json: {}
        - filter:
            simple: \${body}
            steps:
              - log: three
`;

describe.skipIf(!hasBrowser)("accessibility with data (needs Chromium)", () => {
  let runtime: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeAll(() => enableAxe(true));
  afterAll(() => enableAxe(false));
  beforeEach(async () => {
    runtime = await startTestServer();
    designer = await startTestDesigner(runtime.baseUrl, { environment: { SLUICE_TEST_TOKEN: token } });
    opened = await openPage();
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    await runtime.end();
    expect(opened.pageErrors).toEqual([]);
  });

  it("access policies have no findings, and fit 390 pixels", async () => {
    const { page } = opened;
    await runtime.putFlow("orders", replyFlow("orders", "ok"));
    await runtime.putFlow("stock", replyFlow("stock", "ok"));
    await runtime.api("PUT", "/auth/orders", policy);
    const found: string[] = [];
    for (const [name, path] of Object.entries({ access: "/access", policy: "/flows/orders/access", open: "/flows/stock/access" })) {
      await page.goto(designer.url + path);
      if (name === "access") await page.getByText("Open to everyone").waitFor();
      else await page.getByRole("button", { name: "Add rule" }).waitFor();
      if (name === "policy") {
        await page.getByRole("button", { name: "Replace secret 1" }).click();
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await page.getByText("must not be empty").first().waitFor();
      }
      found.push(...(await findingsOfScreen(page, name)));
    }
    expect(found).toEqual([]);
  });

  it("connections have no findings, and fit 390 pixels", async () => {
    const { page } = opened;
    await runtime.api("PUT", "/connections/orders", { type: "sqlite", values: { file: ":memory:" } });
    // No server listens on port 1.
    await runtime.api("PUT", "/connections/shop?force=true", { type: "postgres", values: { host: "127.0.0.1", port: 1, user: "shop", password: "secret" } });
    const steps = `        - to: {id: store, uri: "sql:select 1 as one", parameters: {dataSource: "#shop"}}\n`;
    await runtime.putFlow("insert", `- route:\n    id: insert\n    from:\n      uri: webhook\n      steps:\n${steps}`);
    await fetch(`${runtime.baseUrl}/api/insert`, { method: "POST" });
    const found: string[] = [];
    for (const [name, path] of Object.entries({ connections: "/connections", connection: "/connections/shop", "new-connection": "/connections/new" })) {
      await page.goto(designer.url + path);
      if (name === "new-connection") await page.getByRole("dialog").getByLabel("Type").waitFor();
      else await page.getByText("Down", { exact: true }).waitFor();
      if (name === "connection") {
        await page.getByText("Security", { exact: true }).click();
        await page.getByRole("button", { name: "Test", exact: true }).click();
        await page.getByText(/^Failed: /).waitFor();
        await page.getByRole("button", { name: "List tables" }).click();
        await page.getByText(/connection 'shop' failed/).waitFor();
      }
      found.push(...(await findingsOfScreen(page, name)));
    }
    expect(found).toEqual([]);
  });

  it("mappings have no findings, and fit 390 pixels", async () => {
    const { page } = opened;
    expect((await runtime.api("PUT", "/value-mappings/uom", units)).status).toBe(201);
    expect((await runtime.api("PUT", "/message-mappings/order-to-erp", order)).status).toBe(201);
    const found: string[] = [];
    for (const [name, path] of Object.entries({ mappings: "/mappings", table: "/mappings/values/uom", document: "/mappings/messages/order-to-erp" })) {
      await page.goto(designer.url + path);
      if (name === "mappings") await page.getByRole("link", { name: "Order to ERP" }).waitFor();
      if (name === "table") {
        await page.getByLabel("shop, row 2").fill("piece");
        await page.getByText("Column details").click();
        await page.getByText("(rows 1, 2)").first().waitFor();
      }
      if (name === "document") {
        await page.getByRole("region", { name: "Sample output" }).waitFor();
        await page.getByRole("button", { name: "Run tests" }).click();
      }
      found.push(...(await findingsOfScreen(page, name)));
    }
    expect(found).toEqual([]);
  });

  it("the step list, the menu, the forms and the search of the editor have no findings in either theme", async () => {
    designer.writeFlow("axe", forms);
    const card = (name: RegExp) => opened.page.getByRole("treeitem", { name });
    const { page } = opened;
    await page.goto(`${designer.url}/flows/axe`);
    await card(/trigger/).waitFor();
    const found: string[] = [];
    const runAxe = async (where: string): Promise<void> => void found.push(...(await findingsInBothThemes(page, where)));
    for (const name of [/trigger/, /Set headers/, /Write JSON/, /Only if/]) {
      await card(name).click();
      await page.evaluate(() =>
        document.querySelectorAll<HTMLElement>(".editor__inspector details:not([open]) > summary").forEach((summary) => summary.click()),
      );
      await runAxe(String(name));
    }
    for (const tab of ["YAML", "Docs"]) {
      await page.getByRole("complementary").getByRole("tab", { name: tab }).click();
      await runAxe(tab);
    }
    await card(/Only if/).focus();
    await page.keyboard.press("a");
    await page.getByRole("option").first().waitFor();
    await runAxe("list of steps");
    await page.keyboard.press("Escape");
    await page.keyboard.press(".");
    await page.getByRole("menuitem").first().waitFor();
    await runAxe("menu");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+f");
    await runAxe("search");
    expect(found).toEqual([]);
  });
});
