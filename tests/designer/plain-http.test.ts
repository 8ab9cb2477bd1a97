// The designer opened over plain HTTP under a host name other than localhost, for which browsers disable the clipboard API.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, token, type StartedServer } from "../started-server.ts";
import { hasBrowser, openPage, otherHost, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "./started-designer.ts";

describe.skipIf(!hasBrowser)("over plain HTTP (needs Chromium)", () => {
  let server: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.end());
  beforeEach(async () => {
    designer = await startTestDesigner(server.baseUrl, {
      environment: { SLUICE_TEST_TOKEN: token },
      stored: { "flows/orders.yaml": webhookFlow("orders") },
      password: "pass word",
    });
    opened = await openPage();
    const { page } = opened;
    await page.goto(`${designer.url.replace("127.0.0.1", otherHost)}/flows/orders`);
    await page.getByLabel("Password").fill("pass word");
    await page.keyboard.press("Enter");
    await page.getByRole("treeitem", { name: /^Set body/ }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard)).toBeUndefined();
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    // The browser itself recommends HTTPS with this message.
    expect(opened.pageErrors.filter((error) => !error.startsWith("The Cross-Origin-Opener-Policy header has been ignored"))).toEqual([]);
  });

  it("the address and the curl command are copied after Deploy", async () => {
    const { page } = opened;
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    const panel = page.getByRole("region", { name: "Running on local" });
    await panel.getByRole("button", { name: "Copy URL" }).click();
    await panel.getByText("Copied URL").waitFor();
    await panel.getByRole("button", { name: "Copy curl command" }).click();
    await panel.getByText("Copied curl command").waitFor();
    await page.getByRole("treeitem", { name: /^Set body/ }).click();
    const field = page.getByRole("complementary", { name: "Inspector" }).getByLabel("Expression", { exact: true });
    await field.fill("");
    await page.keyboard.press("Control+V");
    await expect.poll(() => field.inputValue(), soon).toContain(`curl -X POST '${server.baseUrl}/api/orders'`);
    await server.api("DELETE", "/flows/orders");
  });

  it("steps are copied and cut from the menu; its Paste names the shortcut, which works", async () => {
    const { page } = opened;
    const card = page.getByRole("treeitem", { name: /^Set body/ });
    const cards = () => card.count();
    const choose = async (item: string): Promise<void> => {
      await card.first().click({ button: "right" });
      await page.getByRole("menuitem", { name: item }).click();
    };
    await choose("Copy");
    await choose("Paste");
    await page.getByText("The browser allows pasting only with Ctrl+V here.").waitFor();
    await card.first().focus();
    await page.keyboard.press("Control+V");
    await expect.poll(cards, soon).toBe(2);
    await choose("Cut");
    await expect.poll(cards, soon).toBe(1);
    await card.first().focus();
    await page.keyboard.press("Control+V");
    await expect.poll(cards, soon).toBe(2);
  });
});
