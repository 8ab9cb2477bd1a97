// Live metrics on the step cards of a deployed flow, in a real browser against a real runtime.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, token as runtimeToken, type StartedServer } from "../started-server.ts";
import { badge, hasBrowser, openPage, soon } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const flow = `- route:
    id: counted
    from:
      uri: webhook
      steps:
        - setBody: {id: keep, simple: "\${body}"}
        - choice:
            id: which
            when:
              - simple: "\${body} == 'bad'"
                steps: [{throwException: {id: refuse, exceptionType: java.io.IOException, message: bad order}}]
        - setBody: {id: reply, constant: thanks}
`;

describe.skipIf(!hasBrowser)("live metrics of a deployed flow (needs Chromium)", () => {
  let runtime: StartedServer;
  let designer: StartedDesigner;

  beforeAll(async () => {
    runtime = await startTestServer();
    designer = await startTestDesigner(runtime.baseUrl, { environment: { SLUICE_TEST_TOKEN: runtimeToken } });
  });
  afterAll(async () => {
    await designer?.end();
    await runtime?.end();
  });

  it("are shown on the cards after a deployment and some calls, are replaced by a trial, and can be switched off", async () => {
    const { page, close, pageErrors } = await openPage();
    designer.writeFlow("counted", flow);
    await page.goto(`${designer.url}/flows/counted`);
    await page.getByRole("tree").waitFor();
    const live = page.getByRole("button", { name: "Live", exact: true });
    await expect.poll(() => live.count(), soon).toBe(0);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("status").filter({ hasText: badge }).waitFor();
    for (const body of ["one", "two", "bad"]) await fetch(`${runtime.baseUrl}/api/counted`, { method: "POST", body });

    const card = (text: string) => page.getByRole("treeitem").filter({ hasText: text });
    const tooltip = (messages: string, failed: number) => new RegExp(`^Last 5 minutes: ${messages}, ${failed} failed, p95 latency [\\d.]+ ms$`);
    await card("trigger").getByText("3/min").waitFor();
    await expect.poll(() => card("trigger").getByText("p95").getAttribute("title"), soon).toMatch(tooltip("3 messages", 1));
    await expect.poll(() => card("trigger").innerText(), soon).toContain("1 failed");
    await expect.poll(() => card("Choice").first().getByText("p95").getAttribute("title"), soon).toMatch(tooltip("3 messages", 0));
    await expect.poll(() => card("bad order").getByText("p95").getAttribute("title"), soon).toMatch(tooltip("1 message", 1));
    await expect.poll(() => card("thanks").getByText("p95").getAttribute("title"), soon).toMatch(tooltip("2 messages", 0));
    // Trace events arrive long before the next poll.
    await fetch(`${runtime.baseUrl}/api/counted`, { method: "POST", body: "three" });
    await expect
      .poll(() => card("trigger").locator(".card__seen").getAttribute("title"), soon)
      .toMatch(/^Since you opened this page: [1-4] messages?, [01] failed, last took [\d.]+ ms$/);

    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await expect.poll(() => page.getByText("p95").count(), soon).toBe(0);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await card("thanks").getByText("p95").waitFor();

    await live.click();
    await expect.poll(() => live.getAttribute("aria-pressed"), soon).toBe("false");
    await expect.poll(() => page.getByText("p95").count(), soon).toBe(0);
    await page.reload();
    await live.waitFor();
    await expect.poll(() => live.getAttribute("aria-pressed"), soon).toBe("false");
    await live.click();
    await card("thanks").getByText("p95").waitFor();
    expect(pageErrors).toEqual([]);
    await close();
  });

  it("are polled while the page is visible, and not while it is hidden", async () => {
    const { page, close } = await openPage({ unused: true });
    await page.clock.install();
    designer.writeFlow("seen", flow.replace("counted", "seen"));
    await runtime.putFlow("seen", flow.replace("counted", "seen"));
    let requests = 0;
    page.on("request", (request) => (requests += request.url().includes("/_api/runs?flowId=seen") ? 1 : 0));
    await page.goto(`${designer.url}/flows/seen`);
    await expect.poll(() => requests, soon).toBe(1);
    await page.clock.runFor(4_100);
    await expect.poll(() => requests, soon).toBe(2);
    await page.evaluate(() => Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true }));
    await page.clock.runFor(60_000);
    expect(requests).toBe(2);
    await page.evaluate(() => Object.defineProperty(document, "visibilityState", { value: "visible", configurable: true }));
    await page.clock.runFor(4_100);
    await expect.poll(() => requests, soon).toBe(3);
    await close();
  });
});
