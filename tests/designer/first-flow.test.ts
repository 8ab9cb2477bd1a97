// From an empty workspace to a called flow whose run is on the canvas: few clicks, one typed name.
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, token, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { badge, hasBrowser, openPage, soon } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const screenshotFolder = process.env["SCREENSHOTS"];

describe.skipIf(!hasBrowser)("a first flow (needs Chromium)", () => {
  let server: StartedServer;
  let designer: StartedDesigner;

  beforeAll(async () => {
    server = await startTestServer();
    designer = await startTestDesigner(server.baseUrl, { environment: { SLUICE_TEST_TOKEN: token } });
  });
  afterAll(async () => {
    await designer?.end();
    await server?.end();
  });

  it("a new flow is deployed, called and shown on the canvas with six clicks and one typed name", async () => {
    const { page, close, pageErrors } = await openPage({ viewport: { width: 1440, height: 900 } });
    let clicks = 0;
    const click = async (target: Locator): Promise<void> => {
      clicks++;
      await target.click();
    };
    await page.goto(designer.url);
    await click(
      page
        .getByRole("button", { name: "New flow" })
        .or(page.getByRole("link", { name: "New flow" }))
        .first(),
    );
    // The dialog opens with the focus in the name.
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("required")), soon).not.toBeNull();
    await page.keyboard.type("Shop to ERP");
    // A native list: one click opens it, and a second click selects an entry.
    await page.getByLabel("Category").selectOption({ label: "Data sync" });
    clicks += 2;
    await click(page.getByRole("button", { name: "Create" }));
    await click(page.getByRole("button", { name: "Deploy", exact: true }));
    await page.getByText(badge).waitFor();
    await click(page.getByRole("button", { name: "Send the sample" }));
    await expect.poll(() => new URL(page.url()).pathname, soon).toMatch(/^\/flows\/shop-to-erp\/runs\/run_/);
    await page.getByRole("region", { name: "Response" }).getByText("200", { exact: true }).waitFor();
    for (const index of [0, 1]) {
      const card = page.locator(`.card[data-key="0/route/from/steps/${index}"]`);
      await card.locator(".card__state--ok").waitFor();
      await expect.poll(() => card.getAttribute("data-dimmed"), soon).toBeNull();
    }
    expect(clicks).toBeLessThanOrEqual(6);
    expect((await server.api("GET", "/runs?flowId=shop-to-erp")).json.runs).toHaveLength(1);
    expect(await findingsOf(page)).toEqual([]);
    if (screenshotFolder !== undefined) await page.screenshot({ path: join(screenshotFolder, "first-flow.png") });
    expect(pageErrors).toEqual([]);
    await close();
  });
});
