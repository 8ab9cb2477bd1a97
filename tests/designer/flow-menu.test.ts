// The menu of a flow, the files of its tests, and signing out, in a real browser against a real runtime.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, token, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { badge, hasBrowser, openPage, soon, typeSource, type OpenPage } from "./browser.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "./started-designer.ts";

const testText = `# tests of orders
flowId: orders
tests:
  - {name: says ok, when: {webhook: orders}, then: [{reply: {status: 200, bodyEquals: ok}}]} # kept
  - name: takes a body # also kept
    when: {webhook: orders, body: x}
    then:
      - reply: {status: 200}
`;

describe.skipIf(!hasBrowser)("the menu of a flow (needs Chromium)", () => {
  let server: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;
  const testFile = (): string => join(designer.workspace, "tests", "orders", "good.test.yaml");

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.end());
  beforeEach(async () => {
    designer = await startTestDesigner(server.baseUrl, { environment: { SLUICE_TEST_TOKEN: token }, stored: { "flows/orders.yaml": webhookFlow("orders") } });
    mkdirSync(join(designer.workspace, "tests", "orders"), { recursive: true });
    writeFileSync(testFile(), testText);
    opened = await openPage();
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const choose = async (item: string, name = "Orders to ERP"): Promise<void> => {
    await opened.page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
    await opened.page.getByRole("menuitem", { name: item }).click();
  };
  const replyStatus = async (): Promise<number> => (await fetch(`${server.baseUrl}/api/orders`, { method: "POST" })).status;

  it("duplicates, renames, exports, stops, starts, undeploys and deletes from the list; a change on the target names it first", async () => {
    const { page } = opened;
    const show = () => page.goto(`${designer.url}/flows`);
    await page.goto(`${designer.url}/flows/orders`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText(badge).waitFor();

    await show();
    await choose("Duplicate");
    await expect.poll(() => new URL(page.url()).pathname, soon).toBe("/flows/orders-to-erp-copy");
    expect(designer.flowText("orders-to-erp-copy")).toBe(webhookFlow("orders-copy").replace("description: Orders to ERP", "description: Orders to ERP copy"));
    await page.getByRole("tree").waitFor();
    await show();
    await choose("Rename…", "Orders to ERP copy");
    const rename = page.getByRole("dialog", { name: "Rename 'Orders to ERP copy'" });
    await rename.getByLabel("Name").fill("Orders to shop");
    await page.keyboard.press("Enter");
    await page.getByText("Orders to shop", { exact: true }).first().waitFor();
    await expect
      .poll(() => designer.flowText("orders-to-erp-copy"), soon)
      .toBe(webhookFlow("orders-copy").replace("description: Orders to ERP", "description: Orders to shop"));
    const [download] = await Promise.all([page.waitForEvent("download"), choose("Export as YAML", "Orders to shop")]);
    expect(download.suggestedFilename()).toBe("orders-to-erp-copy.yaml");
    expect(readFileSync(await download.path(), "utf8")).toBe(designer.flowText("orders-to-erp-copy"));

    await show();
    await choose("Stop on local");
    await expect.poll(replyStatus, soon).not.toBe(200);
    await page.getByText("Stopped", { exact: true }).or(page.getByText("Stopped on local.")).first().waitFor();
    await choose("Start on local");
    await expect.poll(replyStatus, soon).toBe(200);
    await page.getByText("Started on local.").waitFor();

    await choose("Undeploy from local…");
    const dialog = page.getByRole("dialog", { name: "Undeploy 'Orders to ERP' from local?" });
    await dialog.getByText("(orders) will stop on local").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await replyStatus()).toBe(200);
    await choose("Undeploy from local…");
    await dialog.getByRole("button", { name: "Undeploy from local" }).click();
    await expect.poll(replyStatus, soon).toBe(404);
    expect(designer.flowText("orders")).toBe(webhookFlow("orders"));
    await page.getByRole("button", { name: "Actions for Orders to ERP", exact: true }).click();
    await expect.poll(() => page.getByRole("menuitem", { name: "Stop on local" }).getAttribute("aria-disabled"), soon).toBe("true");
    await page.keyboard.press("Escape");

    await page.goto(`${designer.url}/flows/orders`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText(badge).waitFor();
    await show();
    await choose("Delete…");
    const confirmation = page.getByRole("dialog", { name: "Delete 'Orders to ERP'?" });
    await confirmation.getByText("orders.yaml and 1 test file will be deleted").waitFor();
    await confirmation.getByText("undeployed from local").waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await confirmation.getByRole("button", { name: "Delete flow" }).click();
    await expect.poll(() => new URL(page.url()).pathname, soon).toBe("/flows");
    await expect.poll(() => existsSync(join(designer.workspace, "flows", "orders.yaml")), soon).toBe(false);
    await expect.poll(() => existsSync(testFile()), soon).toBe(false);
    expect(await replyStatus()).toBe(404);
    await expect.poll(() => page.getByRole("link", { name: "Orders to ERP", exact: true }).count(), soon).toBe(0);
  });

  it("renames, stops and deletes from the editor", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/orders`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText(badge).waitFor();
    await choose("Stop on local");
    await expect.poll(replyStatus, soon).not.toBe(200);
    await page.getByText("Stopped on local.").waitFor();
    await choose("Rename…");
    await page.getByRole("dialog", { name: "Rename 'Orders to ERP'" }).getByLabel("Name").fill("Orders to shop");
    await page.keyboard.press("Enter");
    await expect.poll(() => designer.flowText("orders"), soon).toContain("description: Orders to shop");
    await choose("Delete…", "Orders to shop");
    await page.getByRole("dialog", { name: "Delete 'Orders to shop'?" }).getByRole("button", { name: "Delete flow" }).click();
    await expect.poll(() => new URL(page.url()).pathname, soon).toBe("/flows");
    expect(existsSync(join(designer.workspace, "flows", "orders.yaml"))).toBe(false);
    expect(await replyStatus()).toBe(404);
  });

  it("an empty name is reported at the field, and the rename dialog stays open", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows`);
    await choose("Rename…");
    const dialog = page.getByRole("dialog", { name: "Rename 'Orders to ERP'" });
    const name = dialog.getByLabel("Name");
    await name.fill("  ");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").getByText("Enter a name.").waitFor();
    await expect.poll(() => name.getAttribute("aria-invalid"), soon).toBe("true");
    expect(await findingsOf(page)).toEqual([]);
    await name.fill("Orders to shop");
    await expect.poll(() => dialog.getByRole("alert").count(), soon).toBe(0);
    await page.keyboard.press("Enter");
    await expect.poll(() => designer.flowText("orders"), soon).toContain("description: Orders to shop");
  });

  it("lists a flow that was deployed without this workspace, opens it, and stores it on Save", async () => {
    const { page } = opened;
    await server.putFlow("by-cli", webhookFlow("by-cli", "from the command line"));
    await page.goto(`${designer.url}/flows`);
    const row = page.getByRole("row").filter({ hasText: "by-cli" });
    await row.getByText("Only on local, not in this workspace").waitFor();
    await row.getByText("Deployed", { exact: false }).first().waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await choose("Stop on local", "by-cli");
    await row.getByText("Stopped", { exact: true }).waitFor();
    await row.getByRole("link", { name: "by-cli" }).click();
    await page.getByRole("treeitem", { name: /^Set body/ }).waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => existsSync(join(designer.workspace, "flows", "by-cli.yaml")), soon).toBe(true);
    expect(designer.flowText("by-cli")).toBe(webhookFlow("by-cli", "from the command line"));
    await server.api("DELETE", "/flows/by-cli");
  });

  it("after Deploy shows the address, and a curl command that works", async () => {
    const { page, context } = opened;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${designer.url}/flows/orders`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    const panel = page.getByRole("region", { name: "Running on local" });
    await panel.getByText(`POST ${server.baseUrl}/api/orders`, { exact: true }).waitFor();
    await panel.getByRole("button", { name: "Copy curl command" }).click();
    await panel.getByText("Copied curl command").waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    // Asynchronous, because the runtime is in this process.
    const { stdout } = await promisify(execFile)("sh", ["-c", `${command} -s -m 20 -o /dev/null -w '%{http_code}'`]);
    expect(stdout).toBe("200");
    expect(await findingsOf(page)).toEqual([]);
    await panel.getByRole("button", { name: "Send the sample" }).click();
    await page.getByRole("region", { name: "Response" }).getByText("200", { exact: true }).waitFor();
    await panel.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => panel.count(), soon).toBe(0);
    await server.api("DELETE", "/flows/orders");
  });

  it("sends the sample to the webhook even if it is not the first route", async () => {
    const { page } = opened;
    const text = `- route: {id: every-hour, from: {uri: "timer:hourly?period=1h&delay=1h", steps: [{log: tick}]}}\n${webhookFlow("second", "from the webhook")}`;
    designer.writeFlow("two", text);
    await page.goto(`${designer.url}/flows/two`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    const panel = page.getByRole("region", { name: "Running on local" });
    await panel.getByText(`POST ${server.baseUrl}/api/second`, { exact: true }).waitFor();
    await panel.getByRole("button", { name: "Send the sample" }).click();
    await page.getByRole("region", { name: "Response" }).getByText("from the webhook").waitFor();
    await server.api("DELETE", "/flows/two");
    rmSync(join(designer.workspace, "flows", "two.yaml"));
  });

  it("a test is opened, edited, renamed, duplicated and deleted; the file contains only these changes, and is deleted at the end", async () => {
    const { page } = opened;
    const file = (): string => readFileSync(testFile(), "utf8");
    const save = async (expected: string): Promise<void> => {
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await expect.poll(file, soon).toBe(expected);
    };
    await page.goto(`${designer.url}/tests`);
    await page.getByRole("link", { name: "good.test.yaml" }).click();
    await page.getByRole("heading", { name: "good.test.yaml" }).waitFor();
    const tests = page.getByRole("list", { name: "Tests of this file" });
    await expect.poll(() => tests.locator(".grow").allInnerTexts(), soon).toEqual(["says ok", "takes a body"]);
    const edited = testText.replace("bodyEquals: ok", "bodyEquals: wrong");
    await typeSource(page, edited);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("failed", { exact: true }).first().waitFor();
    expect(file()).toBe(testText);
    await save(edited);
    await page.getByText("Saved as good.test.yaml.").waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await typeSource(page, testText);

    await tests.getByRole("button", { name: "Duplicate 'takes a body'" }).click();
    await tests.getByText("takes a body (2)").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(file, soon).toContain("takes a body (2)");
    const duplicated = file();
    const lines = testText.split("\n");
    expect(duplicated.split("\n").filter((line) => !lines.includes(line))).toEqual([expect.stringMatching(/^ {2}- name: "?takes a body \(2\)"?/)]);
    expect(duplicated.startsWith(testText.slice(0, testText.indexOf("  - name:")))).toBe(true);
    expect(duplicated).toContain(testText.slice(testText.indexOf("  - name:")));

    await tests.getByRole("button", { name: "Rename 'takes a body (2)'" }).click();
    await page.getByRole("dialog").getByLabel("Test name").fill("another one");
    await page.keyboard.press("Enter");
    await tests.getByText("another one").waitFor();
    await save(duplicated.replace(/"?takes a body \(2\)"?/, "another one"));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect.poll(() => page.getByText("passed", { exact: true }).count(), soon).toBe(3);

    await tests.getByRole("button", { name: "Delete 'another one'" }).click();
    await save(testText);
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog", { name: "Delete 'good.test.yaml'?" }).getByRole("button", { name: "Delete file" }).click();
    await page.getByText("No tests yet").waitFor();
    expect(existsSync(testFile())).toBe(false);
  });

  it("signs out if a password is set; otherwise there is no such button", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows`);
    await page.getByRole("link", { name: "Orders to ERP" }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Sign out" }).count(), soon).toBe(0);
    await designer.end();
    designer = await startTestDesigner(server.baseUrl, { password: "pass word" });
    await page.goto(`${designer.url}/flows`);
    await page.getByLabel("Password").fill("pass word");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});
