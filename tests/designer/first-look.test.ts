// What somebody sees who is new here, or whose screen is small or magnified: nothing is empty, cut off or beside the point.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasBrowser, openBrowser, openPage, type OpenPage } from "./browser.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "./started-designer.ts";
import { startStubRuntime, type StubRuntime } from "./stub-runtime.ts";

describe.skipIf(!hasBrowser)("a first look", { timeout: 120_000 }, () => {
  let browser: Browser;
  let runtime: StubRuntime;
  let designer: StartedDesigner;
  let open: OpenPage;

  beforeAll(async () => {
    browser = await openBrowser();
  }, 240_000);
  afterAll(async () => browser?.close());
  beforeEach(async () => {
    runtime = await startStubRuntime();
    designer = await startTestDesigner(runtime.baseUrl);
    open = await openPage(browser);
  });
  afterEach(async () => {
    expect(open.faults).toEqual([]);
    await open.context.close();
    await designer.end();
    await runtime.close();
  });

  const height = async (selector: string): Promise<number> => (await open.page.locator(selector).boundingBox())?.height ?? 0;

  it("a form that is not filled in says what is missing and goes there", async () => {
    const { page } = open;
    await page.goto(`${designer.url}/flows/new`);
    await page.getByText("The route id and the address follow from the name.").waitFor();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Give the flow a name.").waitFor();
    await expect.poll(() => page.getByRole("textbox", { name: "Name" }).evaluate((field) => field === document.activeElement)).toBe(true);
    await page.getByRole("textbox", { name: "Name" }).fill("x".repeat(121));
    await page.getByText("A name may have at most 120 characters.").waitFor();
    await page.getByRole("textbox", { name: "Name" }).fill("Shop to ERP");
    await page.getByRole("button", { name: "Create" }).click();
    await expect
      .poll(() =>
        page
          .getByRole("dialog")
          .getByLabel("Category", { exact: true })
          .evaluate((field) => field === document.activeElement),
      )
      .toBe(true);
  });

  it("a flow whose text was never readable is not said to be empty", async () => {
    designer.writeFlow("unread", "- route:\n    id: unread\n   from: x\n");
    const { page } = open;
    await page.goto(`${designer.url}/flows/unread`);
    await page.getByRole("heading", { name: "This flow cannot be drawn yet." }).waitFor();
    await page.getByText("Its text is no valid YAML. Mend line 3 in the YAML view.").waitFor();
    expect(await page.getByText("This flow has no routes yet.").count()).toBe(0);
  });

  it("the head of the editor keeps its height when the text is changed", async () => {
    designer.writeFlow("steady", webhookFlow("steady"));
    const { page } = open;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${designer.url}/flows/steady`);
    await page.getByRole("treeitem").nth(1).focus();
    const before = await height(".editor-head");
    await page.keyboard.press("d");
    await page.getByText("1 unsaved change").waitFor();
    expect(await height(".editor-head")).toBe(before);
  });

  it.each([
    [640, 400],
    [320, 640],
    [1280, 500],
  ])("on %i by %i the canvas has room, and nothing is wider than the screen", async (width, tall) => {
    designer.writeFlow("small", webhookFlow("small"));
    const { page } = open;
    await page.setViewportSize({ width, height: tall });
    await page.goto(`${designer.url}/flows/small`);
    await page.getByRole("treeitem").first().waitFor();
    expect(await height(".canvas")).toBeGreaterThanOrEqual(300);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });

  it("a target that is refused can be mended where it was written", async () => {
    const { page } = open;
    await page.goto(`${designer.url}/settings`);
    await page.getByLabel("Target name").fill("staging");
    await page.getByLabel("Address").fill("https://runtime.example.com");
    await page.getByLabel("Token variable").fill("secret");
    await page.getByRole("button", { name: "Add target" }).click();
    await page.getByText("the token variable must be in capitals and contain TOKEN").waitFor();
    expect(await page.getByLabel("Address").inputValue()).toBe("https://runtime.example.com");
    await page.getByLabel("Token variable").fill("STAGING_TOKEN");
    await page.getByRole("button", { name: "Add target" }).click();
    await page.getByRole("cell", { name: "STAGING_TOKEN" }).waitFor();
    expect(await page.getByLabel("Address").inputValue()).toBe("");
  });

  it("runs that cannot be read are not said to match nothing", async () => {
    runtime.override = ({ url }, response) => {
      if (!url.startsWith("/_api/runs")) return false;
      response.writeHead(500, { "content-type": "application/json" }).end('{"error":"out of order"}');
      return true;
    };
    const { page } = open;
    await page.goto(`${designer.url}/runs`);
    await page.getByText("out of order").waitFor();
    expect(await page.getByText("Nothing matches").count()).toBe(0);
  });
});
