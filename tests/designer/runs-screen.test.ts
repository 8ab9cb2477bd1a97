// The runs of a real runtime in a real browser: the server applies filters and paging.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, replyFlow, startTestServer, token, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openPage, soon, timersFired, type OpenPage } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

describe.skipIf(!hasBrowser)("the runs screen (needs Chromium)", () => {
  let server: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeAll(async () => {
    server = await startTestServer();
    designer = await startTestDesigner(server.baseUrl, { environment: { SLUICE_TEST_TOKEN: token } });
    for (const id of ["orders", "busy"]) await server.putFlow(id, replyFlow(id, "ok"));
    for (let number = 0; number < 3; number++) await call(server.baseUrl, "POST", "/api/orders", `{"order":"A-${number}"}`);
    for (let number = 0; number < 240; number++) await call(server.baseUrl, "POST", "/api/busy", `n${number}`);
  });
  afterAll(async () => {
    await designer?.end();
    await server?.end();
  });
  beforeEach(async () => {
    opened = await openPage();
  });
  afterEach(async () => {
    await opened.close();
    expect(opened.pageErrors).toEqual([]);
  });

  const rows = () => opened.page.locator("tbody tr");

  it("finds the runs of a flow behind many newer ones, by filter, by search text and by URL", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/runs`);
    await page.getByText("50 of 243 runs").waitFor();
    // Wide enough for all filters in one row.
    await page.setViewportSize({ width: 1280, height: 800 });
    const tops = await page.locator(".filters .field__label").evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    await page.getByLabel("Flow", { exact: true }).selectOption("orders");
    await page.getByText("3 of 3 runs").waitFor();
    expect(new URL(page.url()).search).toBe("?flow=orders");
    await page.getByLabel("Flow", { exact: true }).selectOption("");
    await page.getByLabel("Search runs").fill("A-1");
    await page.getByText("1 run", { exact: true }).waitFor();
    await expect.poll(() => rows().count(), soon).toBe(1);
    await page.reload();
    await page.getByText("1 run", { exact: true }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await page.getByLabel("From", { exact: true }).fill("2999-01-01T00:00");
    await page.getByText("0 runs", { exact: true }).waitFor();
    // The link to all runs clears the filters, including the text in the search field.
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Runs" }).click();
    await page.getByText("50 of 243 runs").waitFor();
    await expect.poll(() => page.getByLabel("Search runs").inputValue(), soon).toBe("");
    // A text is searched 300 ms after the last key.
    await timersFired(page, 300);
    expect(new URL(page.url()).search).toBe("");
  });

  it("shows older runs page by page, each run once, while new ones arrive", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/runs`);
    await page.getByText("50 of 243 runs").waitFor();
    await page.getByRole("button", { name: "Show older runs" }).click();
    await expect.poll(() => rows().count(), soon).toBe(100);
    await call(server.baseUrl, "POST", "/api/orders", "new");
    await page.getByText("101 of 244 runs").waitFor();
    for (let count = 151; count <= 244; count += 50) {
      await page.getByRole("button", { name: "Show older runs" }).click();
      await expect.poll(() => rows().count(), soon).toBe(Math.min(count, 244));
    }
    await page.getByRole("button", { name: "Show older runs" }).click();
    await page.getByText("244 of 244 runs").waitFor();
    const ids = await page.locator("tbody a.mono").allInnerTexts();
    expect(new Set(ids).size).toBe(244);
    await expect.poll(() => page.getByRole("button", { name: "Show older runs" }).count(), soon).toBe(0);
  });

  it("folds the runs of called routes into the run that called them", async () => {
    const { page } = opened;
    const flow = `- route:
    id: caller
    from:
      uri: webhook
      steps: [{to: {uri: "direct:called"}}, {to: {uri: "seda:queued"}}]
- route: {id: called, from: {uri: "direct:called", steps: [{log: called}]}}
- route: {id: queued, from: {uri: "seda:queued", steps: [{log: queued}]}}
`;
    expect((await server.putFlow("caller", flow)).status).toBe(201);
    await call(server.baseUrl, "POST", "/api/caller", "{}");
    await page.goto(`${designer.url}/runs?flow=caller`);
    const fold = page.getByRole("button", { name: /called routes?$/ });
    await fold.waitFor();
    await expect.poll(() => rows().count(), soon).toBe(1);
    await fold.press("Enter");
    const routes = (): Promise<readonly string[]> => page.locator("tbody td:nth-child(2) > a").allInnerTexts();
    await expect.poll(routes, soon).toEqual(["caller", "called", "queued"]);
    await expect.poll(() => fold.getAttribute("aria-expanded"), soon).toBe("true");
    expect(await findingsOf(page)).toEqual([]);
    await page.getByLabel("Route", { exact: true }).selectOption("queued");
    await expect.poll(routes, soon).toEqual(["queued"]);
  });
});
