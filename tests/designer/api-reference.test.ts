// The API reference in the designer: the document of the current runtime, which only the designer's server may read.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replyFlow, startTestServer, token, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openPage, soon } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const screenshots = process.env["SCREENSHOTS"];
const environment = { SLUICE_TEST_TOKEN: token, SLUICE_OTHER_TOKEN: token };

describe.skipIf(!hasBrowser)("the API reference (needs Chromium)", () => {
  let server: StartedServer;
  let other: StartedServer;
  let designer: StartedDesigner;
  beforeAll(async () => {
    [server, other] = await Promise.all([startTestServer(), startTestServer()]);
    await server.putFlow("shop", replyFlow("order-intake", "x"));
    await other.putFlow("shop", replyFlow("stock-changes", "x"));
    designer = await startTestDesigner(server.baseUrl, {
      environment,
      targets: [
        { name: "local", baseUrl: server.baseUrl, tokenEnv: "SLUICE_TEST_TOKEN" },
        { name: "other", baseUrl: other.baseUrl, tokenEnv: "SLUICE_OTHER_TOKEN" },
      ],
    });
  });
  afterAll(async () => {
    await designer?.end();
    await server?.end();
    await other?.end();
  });

  const overflow = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth - innerWidth");
  const open = (page: Page, path = ""): Promise<unknown> => page.goto(`${designer.url}/api-reference${path}`);
  const operation = (page: Page, id: string) => page.locator(`details[id="${id}"]`);

  it("is reached from the settings and shows the operations and webhooks of the chosen runtime", async () => {
    const { page, close, pageErrors } = await openPage();
    await page.goto(`${designer.url}/settings`);
    await page.getByRole("link", { name: "API reference of the current runtime" }).click();
    await page.getByRole("heading", { name: "API reference", level: 1 }).waitFor();
    await operation(page, "putFlowsId").waitFor();
    await expect.poll(() => page.locator("code", { hasText: "/api/order-intake" }).count(), soon).toBe(1);
    expect(await page.title()).toBe("API reference – Sluice designer");

    await page.evaluate(() => localStorage.setItem("sluice.target", "other"));
    await page.reload();
    await page.locator("code", { hasText: "/api/stock-changes" }).waitFor();
    await expect.poll(() => page.locator("code", { hasText: "/api/order-intake" }).count(), soon).toBe(0);
    expect(pageErrors).toEqual([]);
    await close();
  });

  it("shows parameters, body, responses, errors and examples of an operation, and the schemas behind its links", async () => {
    const { page, close, pageErrors } = await openPage();
    await open(page);
    const put = operation(page, "putFlowsId");
    await put.locator("summary").click();
    for (const region of ["Parameters of PUT /_api/flows/{id}", "Body of PUT /_api/flows/{id}", "Responses of PUT /_api/flows/{id}"])
      await put.getByRole("region", { name: region }).waitFor();
    const text = await put.innerText();
    expect(text).toContain('curl -X PUT "$SLUICE/_api/flows/orders"');
    expect(text).toMatch(/409\s*cluster-conflict Other nodes .*\s*conflict The current state /);
    expect(text).toMatch(/422\s*flow-invalid The flow cannot be deployed\./);
    expect(text).toMatch(/dryRun\s*query\s*boolean, false by default/);
    expect(await findingsOf(page)).toEqual([]);

    await put.getByRole("link", { name: "InstalledFlow" }).first().click();
    const members = page.getByRole("region", { name: "Members of InstalledFlow" });
    await members.waitFor();
    await expect.poll(() => members.innerText(), soon).toContain("routeCount");
    expect(new URL(page.url()).hash).toBe("#schema-InstalledFlow");
    expect(pageErrors).toEqual([]);
    await close();
  });

  it("finds operations by their words, and opens the one that the address names", async () => {
    const { page, close } = await openPage();
    await open(page, "#getRuns");
    await operation(page, "getRuns").getByRole("region", { name: "Parameters of GET /_api/runs" }).waitFor();
    await page.getByRole("searchbox", { name: "Search operations" }).fill("delete dead letter");
    await expect
      .poll(() => page.locator(".api-entry > summary").allInnerTexts(), soon)
      .toEqual([
        expect.stringContaining("Deletes all matching dead letters"),
        expect.stringContaining("Deletes a dead letter"),
        expect.stringContaining("Cancels a bulk replay"),
      ]);
    await page.getByRole("searchbox", { name: "Search operations" }).fill("nothing like this");
    await page.getByText("No matches.").waitFor();
    await close();
  });

  it.each([360, 768, 1280])("fits a window of %d pixels", async (width) => {
    const { page, close } = await openPage({ viewport: { width, height: 800 } });
    await open(page);
    await operation(page, "getRuns").waitFor();
    if (screenshots !== undefined) {
      mkdirSync(screenshots, { recursive: true });
      await page.screenshot({ path: join(screenshots, `api-${width}.png`) });
    }
    for (const id of ["putFlowsId", "getTraceStream", "getRuns"]) await operation(page, id).locator("summary").click();
    await operation(page, "getRuns").getByRole("region", { name: "Responses of GET /_api/runs" }).waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    const isCutOff = await page.evaluate(() =>
      [...document.querySelectorAll(".api-entry :not(th)")].some(
        (element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX === "hidden",
      ),
    );
    expect(isCutOff).toBe(false);
    if (screenshots !== undefined) {
      // Tall enough for the longest entry, because the entries scroll inside the window.
      await page.setViewportSize({ width, height: 4_000 });
      for (const id of ["putFlowsId", "getTraceStream"]) await operation(page, id).screenshot({ path: join(screenshots, `api-${width}-${id}.png`) });
    }
    await close();
  });

  it("keeps the document of the runtime behind its token", async () => {
    expect((await fetch(`${server.baseUrl}/_api/openapi.json`)).status).toBe(401);
    expect((await designer.call("GET", "/_api/openapi.json")).json.openapi).toBe("3.1.0");
  });
});
