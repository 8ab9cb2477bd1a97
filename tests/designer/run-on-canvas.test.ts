// Parallel branches and runs on the canvas, in a real browser against a real runtime.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, eventually, startTestServer, token, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { badge, hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
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

interface Span {
  readonly left: number;
  readonly right: number;
}

describe.skipIf(!hasBrowser)("runs and branches on the canvas (needs Chromium)", () => {
  let server: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.end());
  beforeEach(async () => {
    designer = await startTestDesigner(server.baseUrl, { environment: { SLUICE_TEST_TOKEN: token } });
    opened = await openPage({ viewport: { width: 1440, height: 900 } });
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
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
    const runId = reply.headers.get("x-run-id");
    // The slow branch continues after the reply.
    await eventually(async () => (await server.api("GET", `/runs/${runId}`)).json.steps.some(({ stepId }: { stepId: string }) => stepId === "slow"));
    await page.goto(`${designer.url}/flows/fan/runs/${runId}`);
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
    await expect.poll(() => lane(1).innerText(), soon).toContain("Dropped: timed out");
    await expect.poll(() => lane(0).getAttribute("data-dropped"), soon).toBeNull();
    const steps = page.getByRole("region", { name: "Run steps" });
    await expect.poll(() => steps.getByRole("row").filter({ hasText: "slow" }).innerText(), soon).toContain("dropped (timed out)");
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
    const [first, ask, , inside, , , , last] = bars.map(({ left, width }) => ({ left, right: left + width })) as [
      Span,
      Span,
      Span,
      Span,
      Span,
      Span,
      Span,
      Span,
    ];
    // The recorded times are whole milliseconds.
    const tolerance = 2 + axis.width * 0.03;
    expect(first.right).toBeGreaterThan(first.left);
    expect(ask.left).toBeGreaterThan(first.right - tolerance);
    expect(inside.left).toBeGreaterThan(ask.left - tolerance);
    expect(inside.right).toBeLessThan(ask.right + tolerance);
    expect(last.left).toBeGreaterThan(ask.right - tolerance);
    expect(await findingsOf(page)).toEqual([]);
    await steps.getByRole("link", { name: "Route called" }).click();
    await page.getByText("1 of 1: inside").waitFor();
  });

  it("a step with three attempts has three bars at the recorded times, and shows the waits between them", async () => {
    const { page } = opened;
    const text = `- errorHandler:
    defaultErrorHandler:
      redeliveryPolicy: {maximumRedeliveries: 2, redeliveryDelay: "50"}
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
    expect(Math.abs((await boxOf(row.locator(".run__wait"))).width - (expected[2]! - expected[0]!))).toBeLessThanOrEqual(2);
  });

  it("Send opens its own run on the canvas, with the messages", async () => {
    const { page } = opened;
    designer.writeFlow("sent", webhookFlow("sent", "thanks"));
    await server.putFlow("sent", webhookFlow("sent", "thanks"));
    // Another run of the flow, which must not be shown.
    const other = (await call(server.baseUrl, "POST", "/api/sent", "other")).headers.get("x-run-id");
    await page.goto(`${designer.url}/flows/sent`);
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await page.getByRole("textbox", { name: "Body" }).fill("hello");
    const [answer] = await Promise.all([
      page.waitForResponse((response) => new URL(response.url()).pathname.endsWith("/try")),
      page.getByRole("button", { name: "Send", exact: true }).click(),
    ]);
    await page.locator('.card[data-key="0/route/from/steps/0"] .card__state--ok').waitFor();
    await page.getByRole("region", { name: "Run steps" }).waitFor();
    const { runId } = (await answer.json()) as { runId: string };
    expect(runId).not.toBe(other);
    expect(new URL(page.url()).pathname).toBe(`/flows/sent/runs/${runId}`);
    const reply = page.getByRole("region", { name: "Response" });
    await reply.getByText("200", { exact: true }).waitFor();
    await reply.getByText("thanks").waitFor();
    await expect.poll(() => page.getByText("The messages of this run were not captured").count(), soon).toBe(0);
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
    await expect.poll(() => body.inputValue(), soon).toBe("one hello");
    await body.fill("changed");
    const simulatedSteps = page.getByRole("region", { name: "Steps", exact: true });
    await simulatedSteps.getByText("three two changed").waitFor();
    await expect.poll(() => simulatedSteps.getByRole("button", { name: "one", exact: true }).count(), soon).toBe(0);
    expect(await runs()).toBe(before);
    await page.getByRole("button", { name: "Start at the trigger" }).click();
    await simulatedSteps.getByRole("button", { name: "one", exact: true }).waitFor();
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
});
