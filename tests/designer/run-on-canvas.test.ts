// Parallel branches and runs on the canvas, and the behavior of its panels, in a real browser against a real runtime.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, startTestServer, token, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { badge, hasBrowser, openBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "./started-designer.ts";

const parallelFlow = `- route:
    id: fan
    from:
      uri: platform-http:/api/fan
      steps:
        - multicast:
            id: all
            parallelProcessing: true
            timeout: 100
            steps:
              - setBody: {id: quick, constant: quick}
              - delay: {id: slow, constant: "700"}
              - pipeline:
                  id: third
                  steps:
                    - setBody: {id: one, constant: one}
        - recipientList: {id: recipients, constant: "mock:a,mock:b"}
        - doTry:
            id: guarded
            steps:
              - log: {id: tried, message: tried}
              - doCatch:
                  exception: [java.lang.Exception]
                  steps:
                    - log: {id: caught, message: caught}
              - doFinally:
                  steps:
                    - log: {id: always, message: always}
        - split:
            id: parts
            parallelProcessing: true
            tokenize: {token: ","}
            steps:
              - log: {id: part, message: part}
        - loadBalance:
            id: balanced
            roundRobinLoadBalancer: {}
            steps:
              - log: {id: left, message: left}
              - log: {id: right, message: right}
`;

describe.skipIf(!hasBrowser)("runs and branches on the canvas (needs Chromium)", () => {
  let browser: Browser;
  let server: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeAll(async () => {
    browser = await openBrowser();
    server = await startTestServer();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.end();
  });
  beforeEach(async () => {
    designer = await startTestDesigner(server.baseUrl, { environment: { SLUICE_TEST_TOKEN: token } });
    opened = await openPage(browser, { bypassCSP: true, viewport: { width: 1440, height: 900 } });
  });
  afterEach(async () => {
    expect(opened.pageErrors).toEqual([]);
    await opened.context.close();
    await designer.end();
  });

  const boxOf = async (card: Locator): Promise<{ x: number; y: number; width: number; height: number }> =>
    (await card.boundingBox()) as { x: number; y: number; width: number; height: number };
  const card = (page: Page, id: string): Locator => page.locator(`.card[data-key="${id}"]`);
  const key = "0/route/from/steps";

  it("draws parallel branches side by side with labels, and a branch that timed out as dropped", async () => {
    const { page } = opened;
    designer.writeFlow("fan", parallelFlow);
    await server.putFlow("fan", parallelFlow);
    const reply = await call(server.baseUrl, "POST", "/api/fan", "a,b");
    expect(reply.status).toBe(200);
    await page.waitForTimeout(900);
    await page.goto(`${designer.url}/flows/fan/runs/${reply.headers.get("x-run-id")}`);
    const lane = (index: number) => card(page, `${key}/0/multicast/steps/${index}`);
    await lane(2).waitFor();
    await lane(1).getByText("Dropped: timed out").waitFor();
    const boxes = await Promise.all([0, 1, 2].map((index) => boxOf(lane(index))));
    expect(new Set(boxes.map(({ y }) => Math.round(y))).size).toBe(1);
    expect(boxes[0]!.x + boxes[0]!.width).toBeLessThan(boxes[1]!.x);
    expect(boxes[1]!.x + boxes[1]!.width).toBeLessThan(boxes[2]!.x);
    for (const label of ["Branch 1 of 3", "Branch 3 of 3", "mock:a", "mock:b", "Try", "If it fails with", "Always"])
      await page.getByText(label, { exact: true }).first().waitFor();
    await page.getByText("For each part in parallel").waitFor();
    const [left, right] = await Promise.all([0, 1].map((index) => boxOf(card(page, `${key}/4/loadBalance/steps/${index}`))));
    expect(Math.round(left!.y)).toBe(Math.round(right!.y));
    expect(left!.x + left!.width).toBeLessThan(right!.x);
    const [tryStep, catchClause] = await Promise.all([boxOf(card(page, `${key}/2/doTry/steps/0`)), boxOf(card(page, `${key}/2/doTry/steps/1`))]);
    expect(catchClause.x).toBeGreaterThan(tryStep.x + tryStep.width);
    expect(await lane(1).innerText()).toContain("Dropped: timed out");
    expect(await lane(0).getAttribute("data-dropped")).toBeNull();
    const steps = page.getByRole("region", { name: "Run steps" });
    expect(await steps.getByRole("row").filter({ hasText: "slow" }).innerText()).toContain("dropped (timed out)");
    expect(await findingsOf(page)).toEqual([]);
  });

  it("a run shows the routes it called below the step that called them, with bars at the recorded times", async () => {
    const { page } = opened;
    const text = `- route:
    id: caller
    from:
      uri: platform-http:/api/caller
      steps:
        - delay: {id: first, constant: "60"}
        - to: {id: ask, uri: "direct:called"}
        - to: {id: hand-over, uri: "seda:queued"}
        - setBody: {id: reply, constant: done}
- route:
    id: called
    from:
      uri: direct:called
      steps:
        - delay: {id: inside, constant: "120"}
- route:
    id: queued
    from:
      uri: seda:queued
      steps:
        - log: {id: stored, message: queued}
`;
    designer.writeFlow("caller", text);
    await server.putFlow("caller", text);
    const reply = await call(server.baseUrl, "POST", "/api/caller", "x");
    await page.goto(`${designer.url}/flows/caller/runs/${reply.headers.get("x-run-id")}`);
    const steps = page.getByRole("region", { name: "Run steps" });
    await steps.getByRole("link", { name: "Route called" }).waitFor();
    const names = async (): Promise<readonly string[]> => (await steps.locator("tbody td:first-child").allInnerTexts()).map((name) => name.trim());
    await expect.poll(names, soon).toEqual(["first", "ask", "Route called", "inside", "hand-over", "Route queued", "stored", "reply"]);
    const bars = await steps
      .locator(".run__bar")
      .evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect()).map(({ left, width }) => ({ left, width })));
    const axis = await boxOf(steps.locator(".run__axis").first());
    expect(bars[1]!.left).toBeGreaterThan(axis.x + axis.width * 0.08);
    expect(bars[3]!.left).toBeGreaterThanOrEqual(bars[1]!.left - 2);
    expect(bars[3]!.left + bars[3]!.width).toBeLessThanOrEqual(bars[1]!.left + bars[1]!.width + axis.width * 0.03);
    expect(await findingsOf(page)).toEqual([]);
    await steps.getByRole("link", { name: "Route called" }).click();
    await page.getByText("1 of 1: inside").waitFor();
  });

  it("a step with three attempts has three bars at the recorded times, and shows the waits between them", async () => {
    const { page } = opened;
    const text = `- errorHandler:
    defaultErrorHandler:
      redeliveryPolicy: {maximumRedeliveries: 2, redeliveryDelay: "200"}
- route:
    id: tried
    from:
      uri: platform-http:/api/tried
      steps:
        - to: {id: ask, uri: "http://127.0.0.1:9/none"}
`;
    designer.writeFlow("tried", text);
    await server.putFlow("tried", text);
    const reply = await call(server.baseUrl, "POST", "/api/tried", "x");
    expect(reply.status).toBe(500);
    const runId = reply.headers.get("x-run-id");
    const run = (await server.api("GET", `/runs/${runId}`)).json;
    const tries = run.steps[0].tries as readonly { startedAt: string; durationMs: number }[];
    expect(tries).toHaveLength(3);
    await page.goto(`${designer.url}/flows/tried/runs/${runId}`);
    const row = page.getByRole("region", { name: "Run steps" }).getByRole("row").filter({ hasText: "ask" });
    await row.locator(".run__bar").nth(2).waitFor();
    const axis = await boxOf(row.locator(".run__axis"));
    const lefts = await row.locator(".run__bar").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().left));
    const startTime = Date.parse(run.startedAt);
    const last = tries[2]!;
    const totalMs = Math.max(run.durationMs, Date.parse(last.startedAt) + last.durationMs - startTime);
    const expected = tries.map(({ startedAt }) => axis.x + (axis.width * (Date.parse(startedAt) - startTime)) / totalMs);
    expect(lefts).toHaveLength(3);
    lefts.forEach((left, index) => expect(Math.abs(left - expected[index]!)).toBeLessThanOrEqual(2));
    expect((await boxOf(row.locator(".run__wait"))).width).toBeGreaterThan(axis.width * 0.5);
  });

  it("Send opens its own run on the canvas within a second of the reply, with the messages", async () => {
    const { page } = opened;
    designer.writeFlow("sent", webhookFlow("sent", "thanks"));
    await page.goto(`${designer.url}/flows/sent`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText(badge).waitFor();
    const marks = page.locator('.card[data-key="0/route/from/steps/0"] .card__state--ok');
    const times: number[] = [];
    for (let count = 0; count < 3; count++) {
      // Another run of the flow, which must not be shown.
      const other = (await call(server.baseUrl, "POST", "/api/sent", "other")).headers.get("x-run-id");
      await page.goto(`${designer.url}/flows/sent`);
      await page.getByRole("button", { name: "Try it", exact: true }).click();
      await page.getByRole("textbox", { name: "Body" }).fill("hello");
      const [answer] = await Promise.all([
        page.waitForResponse((response) => new URL(response.url()).pathname.endsWith("/try")),
        page.getByRole("button", { name: "Send", exact: true }).click(),
      ]);
      const replied = performance.now();
      await marks.waitFor();
      await page.getByRole("region", { name: "Run steps" }).waitFor();
      times.push(performance.now() - replied);
      const { runId } = (await answer.json()) as { runId: string };
      expect(runId).not.toBe(other);
      expect(new URL(page.url()).pathname).toBe(`/flows/sent/runs/${runId}`);
    }
    // The fastest: other tests share the processor.
    expect(Math.min(...times)).toBeLessThan(1_000);
    const reply = page.getByRole("region", { name: "Response" });
    await reply.getByText("200", { exact: true }).waitFor();
    await reply.getByText("thanks").waitFor();
    expect(await page.getByText("The messages of this run were not captured").count()).toBe(0);
  });

  it("scrubbing highlights the run up to a step and shows its message; a fork runs from there in the page with a changed body and sends nothing", async () => {
    const { page } = opened;
    const steps = ["one", "two", "three"].map((id) => `        - setBody: {id: ${id}, description: Step ${id}, simple: "${id} \${body}"}\n`).join("");
    designer.writeFlow("forked", `- route:\n    id: forked\n    from:\n      uri: platform-http:/api/forked\n      steps:\n${steps}`);
    await page.goto(`${designer.url}/flows/forked`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText(badge).waitFor();
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await page.getByRole("textbox", { name: "Body" }).fill("hello");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("region", { name: "Run steps" }).waitFor();
    const runs = async (): Promise<number> => (await server.api("GET", "/runs?flowId=forked")).json.total;
    const dimmed = (): Promise<number> => page.locator(".card[data-dimmed]").count();
    await expect.poll(dimmed, soon).toBe(0);
    const scrubber = page.getByRole("slider", { name: "Step" });
    await scrubber.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(dimmed, soon).toBe(1);
    await expect.poll(() => page.locator('.card[aria-selected="true"]').innerText(), soon).toContain("Step two");
    await page.getByRole("complementary", { name: "Data" }).getByText('"one hello"').waitFor();
    expect(await findingsOf(page)).toEqual([]);
    const before = await runs();
    await page.getByRole("button", { name: "Fork here" }).click();
    await page.getByText("The simulation starts at step two.").waitFor();
    const body = page.getByRole("textbox", { name: "Body" });
    expect(await body.inputValue()).toBe("one hello");
    await body.fill("changed");
    const simulatedSteps = page.getByRole("region", { name: "Steps", exact: true });
    await simulatedSteps.getByText("three two changed").waitFor();
    expect(await simulatedSteps.getByRole("button", { name: "one", exact: true }).count()).toBe(0);
    expect(await runs()).toBe(before);
    await page.getByRole("button", { name: "Start at the trigger" }).click();
    await simulatedSteps.getByRole("button", { name: "one", exact: true }).waitFor();
  });

  it("a wide flow opens with its trigger in view, and Fit shows all of it, even with 60 steps in a row", async () => {
    const { page } = opened;
    const branches = Array.from(
      { length: 14 },
      (_, index) => `                - simple: "\${body} == ${index}"\n                  steps:\n                    - log: "branch ${index}"\n`,
    );
    designer.writeFlow(
      "wide",
      `- route:\n    id: wide\n    from:\n      uri: platform-http:/api/wide\n      steps:\n        - choice:\n            when:\n${branches.join("")}`,
    );
    await page.goto(`${designer.url}/flows/wide`);
    const canvas = page.locator(".canvas");
    const isInside = async (inner: Locator): Promise<boolean> => {
      const [inside, outside] = [await boxOf(inner), await boxOf(canvas)];
      return (
        inside.x >= outside.x &&
        inside.x + inside.width <= outside.x + outside.width &&
        inside.y >= outside.y &&
        inside.y + inside.height <= outside.y + outside.height
      );
    };
    const trigger = page.locator(".card[data-kind=trigger]");
    await trigger.waitFor();
    await expect.poll(() => isInside(trigger), soon).toBe(true);
    const last = card(page, `${key}/0/choice/when/13/steps/0`);
    expect(await isInside(last)).toBe(false);
    await page.getByRole("button", { name: /^Fit/ }).click();
    await expect.poll(() => isInside(last), soon).toBe(true);
    expect(await isInside(trigger)).toBe(true);
    const steps = Array.from({ length: 60 }, (_, index) => `        - log: "number ${index}"\n`).join("");
    designer.writeFlow("sixty", `- route:\n    id: sixty\n    from:\n      uri: platform-http:/api/sixty\n      steps:\n${steps}`);
    await page.goto(`${designer.url}/flows/sixty`);
    await trigger.waitFor();
    await expect.poll(() => isInside(trigger), soon).toBe(true);
    await page.getByRole("button", { name: /^Fit/ }).click();
    await expect.poll(() => isInside(card(page, `${key}/59`)), soon).toBe(true);
    expect(await isInside(trigger)).toBe(true);
    expect(await page.locator(".card").count()).toBe(61);
  });

  it("inspector and dock are resized by mouse and keys, and collapsed; a reload restores both", async () => {
    const { page } = opened;
    designer.writeFlow("panels", webhookFlow("panels"));
    await page.goto(`${designer.url}/flows/panels`);
    await page.getByRole("tree").waitFor();
    expect(await page.getByRole("tabpanel").count()).toBe(0);
    const problems = page.getByRole("tab", { name: /^Problems/ });
    await problems.click();
    const panel = page.getByRole("tabpanel", { name: /^Problems/ });
    await panel.waitFor();
    await problems.click();
    await expect.poll(() => panel.count(), soon).toBe(0);
    await page.locator(".card").first().focus();
    await page.keyboard.press("Shift+P");
    await panel.waitFor();
    const width = async (): Promise<number> => (await boxOf(page.locator(".editor__inspector"))).width;
    const height = async (): Promise<number> => (await boxOf(page.locator(".dock"))).height;
    const widthBefore = await width();
    await page.getByRole("separator", { name: "Resize the inspector" }).focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await expect.poll(width, soon).toBe(widthBefore + 64);
    const border = await boxOf(page.getByRole("separator", { name: "Resize the dock" }));
    const heightBefore = await height();
    await page.mouse.move(border.x + 200, border.y + 4);
    await page.mouse.down();
    await page.mouse.move(border.x + 200, border.y - 76);
    await page.mouse.up();
    await expect.poll(height, soon).toBeGreaterThan(heightBefore + 70);
    const resized = await height();
    await page.reload();
    await page.getByRole("tree").waitFor();
    expect([await width(), await height()]).toEqual([widthBefore + 64, resized]);
    await page.getByRole("button", { name: "Hide the inspector" }).click();
    await page.getByRole("button", { name: "Hide the dock" }).click();
    await expect.poll(width, soon).toBeLessThan(50);
    await expect.poll(height, soon).toBeLessThan(50);
    expect(await findingsOf(page)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Show the inspector" }).click();
    await expect.poll(width, soon).toBe(widthBefore + 64);
    await page.getByRole("tab", { name: "Versions" }).click();
    await expect.poll(height, soon).toBe(resized);
  });

  it.each([
    { panel: "data", separator: "Resize the data panel", selector: ".editor__data", key: "Shift+D", axis: "x", growKey: "ArrowLeft", sign: -1 },
    { panel: "outline", separator: "Resize the outline", selector: ".outline", key: "Shift+O", axis: "x", growKey: "ArrowRight", sign: 1 },
    { panel: "inspector", separator: "Resize the inspector", selector: ".editor__inspector", key: "Shift+S", axis: "x", growKey: "ArrowLeft", sign: -1 },
    { panel: "dock", separator: "Resize the dock", selector: ".dock", key: "Shift+P", axis: "y", growKey: "ArrowUp", sign: -1 },
  ] as const)("the panel $panel is resized by mouse and keys, closed and reopened by its shortcut, and keeps its size after a reload", async (panel) => {
    const { page } = opened;
    await page.setViewportSize({ width: 1680, height: 1000 });
    designer.writeFlow("panels", webhookFlow("panels"));
    await page.goto(`${designer.url}/flows/panels`);
    const step = page.getByRole("treeitem", { name: /^Set body/ });
    await step.click();
    const separator = page.getByRole("separator", { name: panel.separator });
    if ((await separator.count()) === 0) await page.keyboard.press(panel.key);
    await separator.waitFor();
    const size = async (): Promise<number> => Math.round((await boxOf(page.locator(panel.selector)))[panel.axis === "x" ? "width" : "height"]);
    const before = await size();
    const border = await boxOf(separator);
    const [x, y] = [border.x + Math.min(border.width / 2, 200), border.y + Math.min(border.height / 2, 200)];
    await page.mouse.move(x, y);
    await page.mouse.down();
    const distance = 40 * panel.sign;
    await page.mouse.move(panel.axis === "x" ? x + distance : x, panel.axis === "y" ? y + distance : y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(size, soon).toBe(before + 40);
    await separator.focus();
    await page.keyboard.press(panel.growKey);
    await expect.poll(size, soon).toBe(before + 56);
    await step.focus();
    await page.keyboard.press(panel.key);
    await expect.poll(() => separator.count(), soon).toBe(0);
    await page.reload();
    await step.waitFor();
    expect(await separator.count()).toBe(0);
    await step.click();
    await page.keyboard.press(panel.key);
    await expect.poll(size, soon).toBe(before + 56);
    await page.reload();
    await separator.waitFor();
    expect(await size()).toBe(before + 56);
  });

  it("the outline lists and filters steps and keeps its size; the overview map moves the view of a large flow and does not cover the selected card", async () => {
    const { page } = opened;
    const steps = Array.from({ length: 40 }, (_, index) => `        - log: "number ${index}"\n`).join("");
    designer.writeFlow(
      "large",
      `- route:\n    id: large\n    from:\n      uri: platform-http:/api/large\n      steps:\n${steps}        - setHeader: {name: last, constant: x}\n`,
    );
    await page.goto(`${designer.url}/flows/large`);
    await page.getByRole("tree").waitFor();
    const map = page.locator(".overview-map");
    await map.waitFor();
    const scrolled = (): Promise<number> => page.locator(".canvas").evaluate((canvas) => canvas.scrollTop);
    const box = await boxOf(map);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height - 4);
    await expect.poll(scrolled, soon).toBeGreaterThan(1000);
    await page.locator(".canvas").evaluate((canvas) => canvas.scrollTo({ top: 0 }));
    const middle = page.locator(".card").nth(4);
    await page.setViewportSize({ width: 820, height: 900 });
    await page.locator(".canvas").evaluate((canvas) => canvas.scrollTo({ top: 250 }));
    await middle.focus();
    await page.locator(".canvas").evaluate((canvas) => {
      const card = canvas.querySelector('[aria-selected="true"]') as HTMLElement;
      canvas.scrollTop += card.getBoundingClientRect().bottom - canvas.getBoundingClientRect().bottom + 20;
    });
    await expect.poll(() => map.count(), soon).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator(".canvas").evaluate((canvas) => canvas.scrollTo({ top: 0 }));
    await page.getByRole("button", { name: "Outline", exact: true }).click();
    const outline = page.getByRole("navigation", { name: "Outline" });
    expect(await outline.getByRole("button").count()).toBe(42);
    const trigger = page.locator(".card[data-kind=trigger]");
    const [list, first] = [await boxOf(outline), await boxOf(trigger)];
    expect(first.x).toBeGreaterThan(list.x + list.width);
    await outline.getByRole("searchbox", { name: "Filter steps" }).fill("last");
    await outline.getByRole("button", { name: "Set header last" }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), soon).toContain("Set header last");
    await page.getByRole("separator", { name: "Resize the outline" }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(async () => (await boxOf(outline)).width, soon).toBe(list.width + 16);
    expect(await findingsOf(page)).toEqual([]);
    await page.reload();
    await outline.waitFor();
    expect((await boxOf(outline)).width).toBe(list.width + 16);
    await page.locator(".card[data-kind=trigger]").focus();
    await page.keyboard.press("Shift+O");
    await expect.poll(() => outline.count(), soon).toBe(0);
  });

  it("the outline, Find and the inspector cover the steps of error handlers", async () => {
    const { page } = opened;
    const handler =
      "- onException:\n    exception: [java.lang.Exception]\n    steps:\n      - log: handled\n      - choice: {when: [{simple: '${body}', steps: [{log: inner}]}]}\n";
    designer.writeFlow(
      "handled",
      `${handler}- route:\n    id: handled\n    from:\n      uri: platform-http:/api/handled\n      steps:\n        - log: first\n`,
    );
    await page.goto(`${designer.url}/flows/handled`);
    await page.getByRole("tree").first().waitFor();
    await page.getByRole("button", { name: "Outline", exact: true }).click();
    const outline = page.getByRole("navigation", { name: "Outline" });
    await expect.poll(() => outline.getByRole("button").count(), soon).toBe(6);
    await outline.getByRole("button", { name: "Log" }).nth(1).click();
    await page.getByText("element onException · step onException1-log1 · line 4").waitFor();
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find a step").fill("inner");
    await page.keyboard.press("Enter");
    await page.getByText("element onException · step onException1-log2 · line 5").waitFor();
  });

  it("Save as test writes the id it needs into the flow, and the mock stays on its step when another is inserted before it", async () => {
    const { page } = opened;
    const text = `- route:\n    id: named\n    from:\n      uri: platform-http:/api/named # address\n      steps:\n        - to:\n            uri: http://erp.invalid/orders # call\n`;
    designer.writeFlow("named", text);
    await page.goto(`${designer.url}/flows/named`);
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await page.getByRole("textbox", { name: "Body" }).fill("hello");
    await page.getByRole("region", { name: "Steps", exact: true }).getByRole("button", { name: "Set response" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Body" }).fill("from the ERP");
    await page.getByRole("button", { name: "Use response" }).click();
    await page.getByRole("region", { name: "Steps", exact: true }).getByRole("button", { name: "http-orders", exact: true }).waitFor();
    await page.getByRole("button", { name: "Save as test" }).click();
    await page.getByRole("button", { name: "Save test" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+s");
    await expect.poll(() => designer.flowText("named"), soon).toContain("id: http-orders");
    const saved = designer.flowText("named");
    expect(
      saved
        .split("\n")
        .filter((line) => !line.includes("id: http-orders"))
        .join("\n"),
    ).toBe(text);
    const file = designer.files().find((path) => path.endsWith(".test.yaml")) as string;
    const test = readFileSync(join(designer.workspace, "..", file), "utf8");
    expect(test).toContain("stepId: http-orders");
    expect(test).not.toMatch(/\bto1\b/);
    designer.writeFlow("named", saved.replace("      steps:\n", "      steps:\n        - to: mock:before\n"));
    await page.goto(`${designer.url}/tests`);
    await page.getByRole("button", { name: "Run all" }).click();
    await page.getByText("1 of 1 passed", { exact: true }).first().waitFor();
  });

  it("without a runtime, forms and Add step work in a new browser, and the cause is named with its fix", async () => {
    const { page } = opened;
    const offlineDesigner = await startTestDesigner("http://127.0.0.1:9", { stored: { "flows/orders.yaml": webhookFlow("orders") } });
    const refused = await startTestDesigner(server.baseUrl, { stored: { "flows/orders.yaml": webhookFlow("orders") } });
    try {
      for (const [url, cause] of [
        [offlineDesigner.url, "The runtime 'local' at http://127.0.0.1:9 is not responding. Start it"],
        [refused.url, "The runtime 'local' rejected the token. Set SLUICE_TEST_TOKEN"],
      ] as const) {
        await page.goto(`${url}/flows/orders`);
        await page.getByText(cause).waitFor();
        await page.getByRole("treeitem", { name: /Set body/ }).click();
        await page.getByRole("complementary", { name: "Inspector" }).getByLabel("Expression", { exact: true }).waitFor();
        await page.keyboard.press("a");
        await page.getByRole("combobox", { name: "Search steps and connectors" }).fill("log");
        await page.getByRole("option").first().waitFor();
        await page.keyboard.press("Escape");
        expect(await findingsOf(page)).toEqual([]);
      }
    } finally {
      await offlineDesigner.end();
      await refused.end();
    }
  });

  it("without a runtime, icons, the trial, tests and the mapper work, and no list shows zeros", async () => {
    const { page } = opened;
    const mapping = { source: { format: "json", sample: { id: "A-1" } }, target: { format: "json", sample: { number: "x" } }, map: [] };
    const offlineDesigner = await startTestDesigner("http://127.0.0.1:9", {
      stored: {
        "flows/orders.yaml": webhookFlow("orders"),
        "tests/orders/one.test.yaml": "flowId: orders\ntests:\n  - {name: says ok, when: {webhook: orders}, then: [{reply: {status: 200, bodyEquals: ok}}]}\n",
        "message-mappings/order.yaml": `${JSON.stringify(mapping)}\n`,
      },
    });
    try {
      const bar = page.getByText("The runtime 'local' at http://127.0.0.1:9 is not responding. Start it");
      await page.goto(`${offlineDesigner.url}/flows/orders`);
      await bar.waitFor();
      const card = page.getByRole("treeitem", { name: /Set body/ });
      await card.locator("svg").first().waitFor();
      await page.getByRole("button", { name: "Try it", exact: true }).click();
      await page.getByRole("textbox", { name: "Body" }).fill("hello");
      await page.getByRole("region", { name: "Steps", exact: true }).getByText("ok", { exact: true }).first().waitFor();
      await page.getByRole("button", { name: "Run tests", exact: true }).click();
      await page.getByText("1 of 1 passed in the browser").waitFor();

      await page.goto(`${offlineDesigner.url}/mappings/messages/order`);
      await page
        .getByRole("tree", { name: "Source fields" })
        .locator('[data-path="id"]')
        .dragTo(page.getByRole("tree", { name: "Target fields" }).locator('[data-path="number"]'));
      await page.getByRole("region", { name: "Sample output" }).getByText('"number": "A-1"').waitFor();

      for (const path of ["flows", "runs", "dead-letters", "connections", "mappings", "access", "tests", "nodes"]) {
        await page.goto(`${offlineDesigner.url}/${path}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await bar.waitFor();
        if (path === "flows") await page.getByRole("link", { name: "Orders to ERP" }).waitFor();
        else if (path === "mappings") await page.getByRole("link", { name: "order", exact: true }).waitFor();
        else if (path === "tests") await page.getByText("one.test.yaml").waitFor();
        else await page.getByRole("alert").first().waitFor();
        const shown = await page.locator("main").innerText();
        expect(
          shown.split(/\s+/).filter((word) => word === "0"),
          path,
        ).toEqual([]);
        expect(shown, path).not.toMatch(/No (runs|dead letters|connections|flows|matches)|never/i);
        expect(await findingsOf(page)).toEqual([]);
      }
    } finally {
      await offlineDesigner.end();
    }
  });

  it("when the runtime stops, the list of flows keeps the last known runs and shows their time", async () => {
    const { page } = opened;
    const other = await startTestServer();
    const connected = await startTestDesigner(other.baseUrl, {
      environment: { SLUICE_TEST_TOKEN: token },
      stored: { "flows/orders.yaml": webhookFlow("orders") },
    });
    try {
      await other.putFlow("orders", webhookFlow("orders"));
      for (let count = 0; count < 3; count++) await call(other.baseUrl, "POST", "/api/orders", "x");
      await page.goto(`${connected.url}/flows`);
      const row = page.getByRole("row").filter({ hasText: "Orders to ERP" });
      await row.getByRole("cell", { name: "3", exact: true }).waitFor();
      await other.end();
      await page.getByText(/^The runtime is not responding\. Runs as of \d{4}-/).waitFor();
      await row.getByRole("cell", { name: "3", exact: true }).waitFor();
    } finally {
      await connected.end();
    }
  });
});
