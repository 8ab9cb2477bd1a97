// Incomplete input, small screens and failures: no screen is empty, truncated or misleading.
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasBrowser, openPage, type OpenPage, soon } from "./browser.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "./started-designer.ts";
import { startStubRuntime, type StubRuntime } from "./stub-runtime.ts";

describe.skipIf(!hasBrowser)("usability (needs Chromium)", () => {
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

  const height = async (selector: string): Promise<number> => (await opened.page.locator(selector).boundingBox())?.height ?? 0;

  it("an incomplete form reports what is missing and focuses it", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/new`);
    await page.getByText("The route id and the address are derived from the name.").waitFor();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Enter a name.").waitFor();
    await expect.poll(() => page.getByRole("textbox", { name: "Name" }).evaluate((field) => field === document.activeElement)).toBe(true);
    await page.getByRole("textbox", { name: "Name" }).fill("x".repeat(121));
    await page.getByText("The name is too long: use at most 120 characters.").waitFor();
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

  it("a flow that was never valid is not shown as empty", async () => {
    designer.writeFlow("unread", "- route:\n    id: unread\n   from: x\n");
    const { page } = opened;
    await page.goto(`${designer.url}/flows/unread`);
    await page.getByRole("heading", { name: "This flow cannot be displayed." }).waitFor();
    await page.getByText("The YAML is not valid. Fix line 3 in the YAML view.").waitFor();
    await expect.poll(() => page.getByText("This flow has no routes yet.").count(), soon).toBe(0);
  });

  it("the header of the editor keeps its height when the text changes", async () => {
    designer.writeFlow("steady", webhookFlow("steady"));
    const { page } = opened;
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
  ])("at %i by %i the canvas has enough space, and nothing is wider than the screen", async (width, windowHeight) => {
    designer.writeFlow("small", webhookFlow("small"));
    const { page } = opened;
    await page.setViewportSize({ width, height: windowHeight });
    await page.goto(`${designer.url}/flows/small`);
    await page.getByRole("treeitem").first().waitFor();
    expect(await height(".canvas")).toBeGreaterThanOrEqual(300);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });

  it("a rejected target can be corrected in place", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/settings`);
    await page.getByLabel("Target name").fill("staging");
    await page.getByLabel("Address").fill("https://runtime.example.com");
    await page.getByLabel("Token variable").fill("secret");
    await page.getByRole("button", { name: "Add target" }).click();
    await page.getByText("the variable 'secret' cannot be used as a token").waitFor();
    await expect.poll(() => page.getByLabel("Address").inputValue(), soon).toBe("https://runtime.example.com");
    await page.getByLabel("Token variable").fill("SLUICE_STAGING_TOKEN");
    await page.getByRole("button", { name: "Add target" }).click();
    await page.getByText("The token in SLUICE_STAGING_TOKEN will be sent to https://runtime.example.com.").waitFor();
    await page.getByRole("button", { name: "Save targets" }).click();
    await page.getByRole("cell", { name: "SLUICE_STAGING_TOKEN" }).waitFor();
    await expect.poll(() => page.getByLabel("Address").inputValue(), soon).toBe("");
  });

  it("with a password, a new target requires the correct password", async () => {
    await designer.end();
    designer = await startTestDesigner(runtime.baseUrl, { password: "pass word" });
    const { page } = opened;
    await page.goto(`${designer.url}/settings`);
    await page.getByLabel("Password").fill("pass word");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Target name").fill("staging");
    await page.getByLabel("Address").fill("https://runtime.example.com");
    await page.getByLabel("Token variable").fill("SLUICE_STAGING_TOKEN");
    await page.getByRole("button", { name: "Add target" }).click();
    await page.getByLabel("Designer password").fill("wrong");
    await page.getByRole("button", { name: "Save targets" }).click();
    await page.getByText("wrong password").waitFor();
    await page.getByLabel("Designer password").fill("pass word");
    await page.getByRole("button", { name: "Save targets" }).click();
    await page.getByRole("cell", { name: "SLUICE_STAGING_TOKEN" }).waitFor();
  });

  it("the first screen loads at most 150 KB of compressed JavaScript", async () => {
    const { page } = opened;
    const scripts: Promise<Buffer>[] = [];
    page.on("response", (response) => {
      if (response.request().resourceType() === "script") scripts.push(response.body());
    });
    await page.goto(`${designer.url}/flows`);
    await page.getByRole("button", { name: "New flow" }).first().waitFor();
    await page.waitForLoadState("networkidle");
    const sizes = (await Promise.all(scripts)).map((script) => gzipSync(script).length);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(sizes.length).toBeGreaterThan(1);
    expect(total).toBeLessThanOrEqual(150 * 1024);
  });

  it("a failure to load runs is not shown as no matches", async () => {
    runtime.override = ({ url }, response) => {
      if (!url.startsWith("/_api/runs")) return false;
      response.writeHead(500, { "content-type": "application/json" }).end('{"error":"out of order"}');
      return true;
    };
    const { page } = opened;
    await page.goto(`${designer.url}/runs`);
    await page.getByText("out of order").waitFor();
    await expect.poll(() => page.getByText("No matches").count(), soon).toBe(0);
  });
});
