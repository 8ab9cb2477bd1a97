// Creating flows, and showing any user input as plain text.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";
import { startStubRuntime, type StubRuntime } from "./stub-runtime.ts";

describe.skipIf(!hasBrowser)("new flows (needs Chromium)", () => {
  let runtime: StubRuntime;
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeEach(async () => {
    runtime = await startStubRuntime();
    designer = await startTestDesigner(runtime.baseUrl);
    opened = await openPage();
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    await runtime.close();
    expect(opened.pageErrors).toEqual([]);
  });

  async function create(name: string, category = "Data sync"): Promise<void> {
    const { page } = opened;
    await page.goto(`${designer.url}/flows`);
    await page.getByRole("button", { name: "New flow" }).first().click();
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    await page.getByLabel("Category", { exact: true }).last().selectOption({ label: category });
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("tree").waitFor();
  }

  it("the route id is derived from the name; the new flow is an unsaved Draft", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/new`);
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Source to Target, e.g. Shopify to SAP").waitFor();
    await expect.poll(() => dialog.getByText("Draft", { exact: true }).isVisible(), soon).toBe(true);
    await dialog.getByLabel("Name").fill("Shopify to SAP");
    await dialog.getByText("shopify-to-sap", { exact: true }).waitFor();
    await dialog.getByText(`POST ${runtime.baseUrl}/api/shopify-to-sap`).waitFor();
    await dialog.getByText("From: Shopify").waitFor();
    await dialog.getByLabel("Category").selectOption({ label: "Data sync" });
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Draft", { exact: true }).waitFor();
    await page.getByText("1 unsaved change").waitFor();
    expect(page.url()).toBe(`${designer.url}/flows/shopify-to-sap`);
    expect(designer.files().filter((path) => path.includes("shopify"))).toEqual([]);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => designer.files().includes("workspace/flows/shopify-to-sap.yaml"), soon).toBe(true);
    expect(designer.flowText("shopify-to-sap")).toMatch(/^- route:\n {4}id: shopify-to-sap\n {4}description: Shopify to SAP\n {4}group: data-sync\n/);
    await page.getByText("Draft", { exact: true }).waitFor();
    expect(runtime.requests.filter(({ method }) => method === "PUT")).toEqual([]);
  });

  it("the category is selected from the list that is edited in Settings", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/settings`);
    await page.getByLabel("Label").fill("Ärzte & Co: #1");
    await page.getByRole("button", { name: "Add category" }).click();
    await page.getByRole("button", { name: "Remove category Ärzte & Co: #1" }).waitFor();
    await page.getByRole("button", { name: "Remove category Utility" }).click();
    await page.getByRole("button", { name: "Remove category Utility" }).waitFor({ state: "detached" });
    await page.goto(`${designer.url}/flows/new`);
    const select = page.getByRole("dialog").getByLabel("Category");
    await expect
      .poll(() => select.locator("option").allInnerTexts(), soon)
      .toEqual(["Choose a category", "Application to application", "B2B/EDI", "Data sync", "API/webhook", "Notification", "Ärzte & Co: #1"]);
    expect(await select.evaluate((element) => element.tagName)).toBe("SELECT");
    await page.getByRole("dialog").getByLabel("Name").fill("x");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Choose a category.").waitFor();
  });

  it("pasted YAML gets the entered name and category, and keeps everything else", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/new`);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Shop to ERP");
    await dialog.getByLabel("Category").selectOption({ label: "Data sync" });
    await dialog.getByText("Paste YAML").click();
    await dialog.getByLabel("YAML", { exact: true }).fill("# mine\n- route:\n    id: theirs\n    from:\n      uri: direct:theirs # kept\n      steps: []\n");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "Shop to ERP" }).waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => designer.files().includes("workspace/flows/shop-to-erp.yaml"), soon).toBe(true);
    const text = designer.flowText("shop-to-erp");
    expect(text).toContain("description: Shop to ERP\n");
    expect(text).toContain("group: data-sync\n");
    expect(text.replaceAll(/ {4}(description|group): .*\n/g, "")).toBe(
      "# mine\n- route:\n    id: theirs\n    from:\n      uri: direct:theirs # kept\n      steps: []\n",
    );
  });

  it("an id that is already in use gets a number", async () => {
    designer.writeFlow("orders", "- route: {id: orders, from: {uri: direct:a, steps: []}}\n");
    const { page } = opened;
    await page.goto(`${designer.url}/flows`);
    await page.getByRole("link", { name: "orders" }).waitFor();
    await page.getByRole("button", { name: "New flow" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Orders");
    await page.getByText("'orders' is already in use, so a number was added.").waitFor();
    await page.getByText("orders-2", { exact: true }).waitFor();
  });

  it.each([
    ["../../x", "x"],
    ["<b>bold</b>", "b-bold-b"],
    ["🚀 to 🎉", "to"],
  ])("a flow with the name %s is saved as %s in the workspace, and its name is shown as plain text", async (name, id) => {
    await create(name);
    const { page } = opened;
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect
      .poll(() => designer.files().filter((path) => !path.includes(".sluice")), soon)
      .toEqual(["workspace/categories.yaml", `workspace/flows/${id}.yaml`]);
    await expect.poll(() => page.getByRole("heading", { level: 1 }).innerText(), soon).toBe(name);
  });

  it("a name of 10 KB is rejected with a message", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/new`);
    await page.getByRole("dialog").getByLabel("Name").fill("long ".repeat(2000));
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("The name is too long: use at most 120 characters.").waitFor();
  });

  it("scripts in names, steps, comments, problems, runs and log lines are shown as plain text", async () => {
    const script = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
    const line = JSON.stringify({ at: "2026-11-14T16:02:33.121Z", level: "ERROR", logger: script, message: script, flowId: null, routeId: null, runId: null });
    runtime.override = ({ url }, response) => {
      if (url.startsWith("/_api/runs")) {
        const run = {
          id: script,
          routeId: script,
          flowId: "evil",
          status: "failed",
          startedAt: "2026-11-14T16:02:33.120Z",
          durationMs: 1,
          trigger: { uri: script },
          error: { type: "x", message: script },
        };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ runs: [run], total: 1 }));
      } else if (url.startsWith("/_api/logs/stream")) response.writeHead(200, { "content-type": "text/event-stream" }).write(`event: log\ndata: ${line}\n\n`);
      else if (url.startsWith("/_api/flows/validate")) {
        const problem = { severity: "error", line: 1, column: 1, routeId: null, stepId: null, code: script, message: script };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ valid: false, problems: [problem] }));
      } else return false;
      return true;
    };
    const quoted = JSON.stringify(script);
    designer.writeFlow(
      "evil",
      `# ${script}\n- route:\n    id: ${quoted}\n    description: ${quoted}\n    group: ${quoted}\n    from:\n      uri: direct:a\n      steps:\n        - log: {message: ${quoted}, description: ${quoted}}\n`,
    );
    const { page } = opened;
    await page.goto(`${designer.url}/flows`);
    await page.getByRole("link", { name: script }).waitFor();
    await page.goto(`${designer.url}/flows/evil?view=split`);
    await page.getByRole("treeitem").nth(1).click();
    await page.getByRole("tab", { name: /^Problems/ }).click();
    await page.getByRole("tabpanel").getByText(script).first().waitFor();
    await page.locator(".cm-content").getByText("alert(2)").first().waitFor();
    await page.goto(`${designer.url}/runs`);
    await page.getByRole("cell", { name: script }).first().waitFor();
    await page.goto(`${designer.url}/logs`);
    await page.getByRole("region", { name: "Log lines" }).getByText("alert(2)").first().waitFor();
    await expect.poll(() => page.locator("img[src=x], script:not([src])").count(), soon).toBe(0);
  });
});
