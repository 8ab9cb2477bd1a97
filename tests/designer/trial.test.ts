// Trying a flow while editing it, its tests, recorded runs and dead letters, in a real browser.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, startTestServer, token as runtimeToken, type StartedServer } from "../started-server.ts";
import { stubPartner, type StubPartner } from "../stub-partner.ts";
import { hasBrowser, openPage, soon, typeSource, type OpenPage } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const flow = (id: string, greeting = "Hello"): string => `- route:
    id: ${id}
    description: Orders to ERP
    from:
      uri: webhook
      steps:
        - setBody:
            id: greet
            simple: "${greeting} \${body[name]}"
        - to:
            id: call-erp
            uri: http://erp.invalid/orders
        - choice:
            when:
              - simple: "\${body} contains 'Ada'"
                steps:
                  - setHeader:
                      id: known
                      name: known
                      constant: "yes"
            otherwise:
              steps:
                - setBody:
                    id: stranger
                    constant: nobody
`;
const tests = (id: string, expected: string): string => `flowId: ${id}
tests:
  - name: greets Ada
    mocks: [{id: erp, match: {stepId: call-erp}, respond: {body: Hello Ada from the ERP}}]
    when: {webhook: ${id}, body: {name: Ada}}
    then: [{status: completed}, {reply: {status: 200, bodyEquals: ${expected}}}, {mockCalled: {mock: erp, with: {bodyEquals: Hello Ada}}}, {visited: [known]}]
`;

/** A webhook that runs one step and stores its message as a dead letter when the step fails. */
const deadLetterFlow = (id: string, step = "throwException: {exceptionType: java.io.IOException, message: erp down}"): string => `- route:
    id: ${id}
    from:
      uri: webhook
      steps:
        - doTry:
            steps:
              - ${step}
            doCatch:
              - exception: [java.io.IOException]
                steps: [{to: "sluice:dead-letters"}]
`;

describe.skipIf(!hasBrowser)("trying a flow (needs Chromium)", () => {
  let runtime: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeAll(async () => {
    runtime = await startTestServer();
  });
  afterAll(() => runtime?.end());
  beforeEach(async () => {
    designer = await startTestDesigner(runtime.baseUrl, { environment: { SLUICE_TEST_TOKEN: runtimeToken } });
    opened = await openPage();
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const openFlow = async (id: string, text: string, view = ""): Promise<Page> => {
    designer.writeFlow(id, text);
    await opened.page.goto(`${designer.url}/flows/${id}${view}`);
    await opened.page.getByRole("tree").first().waitFor();
    return opened.page;
  };
  const steps = (page: Page) => page.getByRole("region", { name: "Steps", exact: true });
  const row = (page: Page, step: string) =>
    steps(page)
      .getByRole("row")
      .filter({ has: page.getByRole("button", { name: step, exact: true }) });
  const body = (page: Page) => page.getByRole("textbox", { name: "Body" });
  const writeTest = (id: string, name: string, text: string): void => {
    mkdirSync(join(designer.workspace, "tests", id), { recursive: true });
    writeFileSync(join(designer.workspace, "tests", id, `${name}.test.yaml`), text);
  };

  it("shows the message after every step without a deployment, and updates it as the text changes", async () => {
    const page = await openFlow("live", flow("live"), "?view=split");
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await body(page).fill('{"name": "Ada"}');
    await row(page, "greet").getByText("Hello Ada").waitFor();
    await row(page, "call-erp").getByText("No mock: body unchanged").waitFor();
    await row(page, "known").waitFor();
    await expect.poll(() => row(page, "stranger").count(), soon).toBe(0);
    await typeSource(page, flow("live", "Bye"));
    await row(page, "greet").getByText("Bye Ada").waitFor();
    await body(page).fill('{"name": "Bob"}');
    await row(page, "stranger").getByText("nobody").waitFor();
    await expect.poll(() => row(page, "known").count(), soon).toBe(0);
    expect((await runtime.api("GET", "/flows/live")).status).toBe(404);
    await row(page, "stranger").getByRole("button", { name: "stranger" }).click();
    await page.getByRole("region", { name: "stranger, Difference" }).getByText("Bye Bob").waitFor();
  });

  it("reads a sample from a file, and rejects one that is too large instead of truncating it", async () => {
    const page = await openFlow("filed", flow("filed"));
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    const initial = await body(page).inputValue();
    const choose = (name: string, text: string) => page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    await choose("large.json", "ä".repeat(600_000));
    await page.getByText("large.json is larger than 1 MB.").waitFor();
    await expect.poll(() => body(page).inputValue(), soon).toBe(initial);
    await choose("small.json", '{"name": "Ada"}');
    await page.getByText("From small.json").waitFor();
    await expect.poll(() => body(page).inputValue(), soon).toBe('{"name": "Ada"}');
    await expect.poll(() => page.getByText("is larger than").count(), soon).toBe(0);
  });

  it("an expression shows its result for the message at its step as the user types, and its errors", async () => {
    const page = await openFlow("typed", flow("typed"));
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await body(page).fill('{"name": "Ada", "amount": 12}');
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    const result = inspector.getByRole("group", { name: "Result of Expression" });
    await page.getByRole("treeitem", { name: /Set body.*Hello/ }).click();
    await result.getByText('"Hello Ada"').waitFor();
    const text = inspector.getByLabel("Expression", { exact: true });
    await text.fill("${body[amount]");
    // The message is shown as the result first, and then as the error of the field, which replaces the result.
    await inspector.getByText("'${body[amount]' is not closed: a '}' is missing").first().waitFor();
    await text.fill("${body[amount]}");
    await result.getByText("12", { exact: true }).waitFor();
    await text.fill("${header.");
    await text.press("End");
    await page.keyboard.type("Content");
    await inspector.getByRole("option", { name: "header.Content-Type" }).waitFor();
    await page.keyboard.press("Escape");
    // The step without a mock does not change the message; a branch gets the same message as its choice.
    await text.fill("Hello ${body[name]}");
    await page.getByRole("treeitem", { name: /^When/ }).click();
    await result.getByText("true", { exact: true }).waitFor();
    await body(page).fill('{"name": "Bob"}');
    await result.getByText("false", { exact: true }).waitFor();
  });

  it("keeps the last valid result while the source is invalid, and shows why a step failed", async () => {
    const page = await openFlow("broken", flow("broken"), "?view=split");
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await row(page, "greet").waitFor();
    await typeSource(page, `${flow("broken")}  bad: [`);
    await page.getByText("showing the last valid version").waitFor();
    await expect.poll(() => row(page, "greet").count(), soon).toBe(1);
    const failing = flow("broken").replace(
      "constant: nobody",
      "constant: nobody\n                - throwException: {id: fail, exceptionType: java.io.IOException, message: broken on purpose}",
    );
    await typeSource(page, failing);
    await row(page, "fail").getByText("broken on purpose").waitFor();
    await page.getByRole("treeitem").filter({ hasText: "broken on purpose" }).waitFor();
    // The failed card is drawn in the color of failures, the others are not.
    const color = (cards: Locator, property: "borderTopColor" | "color"): Promise<string> =>
      cards.first().evaluate((element, name) => getComputedStyle(element)[name], property);
    const failed = page.locator(".card").filter({ hasText: "broken on purpose" });
    const fail = await color(failed.locator(".card__state--fail"), "color");
    await expect.poll(() => color(failed, "borderTopColor"), soon).toBe(fail);
    await expect.poll(() => color(page.locator(".card").filter({ hasText: "Hello" }), "borderTopColor"), soon).not.toBe(fail);
  });

  it("a flow that never ends is stopped, and the next text runs again", async () => {
    const endless = `- route:
    id: endless
    from:
      uri: direct:endless
      steps:
        - loop:
            constant: "100000000"
            steps: [{setBody: {simple: "\${body}x"}}, {setBody: {constant: y}}]
`;
    const page = await openFlow("endless", endless, "?view=split");
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await page.getByText("Stopped: the flow took longer than 2 seconds.").waitFor();
    await typeSource(page, endless.replace("100000000", "2"));
    await row(page, "setBody2").first().waitFor();
  });

  it("a typed response replaces the external system", async () => {
    const page = await openFlow("answer", flow("answer"));
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await page.getByRole("button", { name: "Set response: call-erp" }).click();
    await page.getByRole("dialog").getByLabel("Body").fill("Ada is known");
    await page.getByRole("button", { name: "Use response" }).click();
    await row(page, "call-erp").getByText("Custom response").waitFor();
    await row(page, "known").getByText("Ada is known").waitFor();
  });

  it("a typed response stays on its step when steps are inserted and moved, and after undo", async () => {
    const page = await openFlow("stays", flow("stays").replace("            id: call-erp\n", ""));
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await page.getByRole("button", { name: /^Set response: to1/ }).click();
    await page.getByRole("dialog").getByLabel("Body").fill("Ada is known");
    await page.getByRole("button", { name: "Use response" }).click();
    const stepId = "http-orders";
    const expectResponseKept = async (): Promise<void> => {
      await row(page, stepId).getByText("Custom response").waitFor();
      await row(page, "known").getByText("Ada is known").waitFor();
    };
    await expectResponseKept();
    await page.getByRole("treeitem", { name: /Set body.*Hello/ }).click();
    await page.keyboard.press("a");
    await page.getByRole("combobox", { name: "Search steps and connectors" }).fill("http");
    await page.keyboard.press("Enter");
    await expect.poll(() => steps(page).getByText("No mock: body unchanged").count(), soon).toBe(1);
    await expectResponseKept();
    await page.locator('.card[data-key="0/route/from/steps/2"]').click();
    await page.keyboard.press("Alt+ArrowUp");
    await expect.poll(() => page.locator('.card[data-key="0/route/from/steps/1"]').getAttribute("aria-selected"), soon).toBe("true");
    await expectResponseKept();
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await expect.poll(() => steps(page).getByText("No mock: body unchanged").count(), soon).toBe(0);
    await expectResponseKept();
  });

  it("the recipe for retries makes the trial show every attempt and the dead letter, without a problem", async () => {
    const page = await openFlow("retried", flow("retried"));
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await page.getByRole("button", { name: "Set response: call-erp" }).click();
    await page.getByRole("dialog").getByLabel("Status").fill("503");
    await page.getByRole("button", { name: "Use response" }).click();
    await page.getByRole("treeitem", { name: /Set body.*Hello/ }).click();
    await page.keyboard.press("a");
    await page.getByRole("combobox", { name: "Search steps and connectors" }).fill("retry");
    await page.keyboard.press("Enter");
    await page.getByLabel("Number of retries").fill("2");
    await page.getByRole("button", { name: "Insert steps" }).click();
    for (const attempt of ["call-erp", "call-erp #2", "call-erp #3"]) await row(page, attempt).waitFor();
    await expect.poll(() => row(page, "call-erp #4").count(), soon).toBe(0);
    // The step of the handler that stores the dead letter.
    await row(page, "onException1-to1").waitFor();
    await page.getByRole("tab", { name: "Problems (0)" }).waitFor();
  });

  it("nothing in the form moves while an expression is typed, valid or not", async () => {
    const page = await openFlow("still", flow("still"));
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await body(page).fill('{"name": "Ada"}');
    await page.getByRole("treeitem", { name: /Set body.*Hello/ }).click();
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    const text = inspector.getByLabel("Expression", { exact: true });
    await inspector.getByRole("group", { name: "Result of Expression" }).getByText('"Hello Ada"').waitFor();
    await text.focus();
    // Looks at the form in every frame from now on.
    const moves = await inspector.evaluateHandle((form) => {
      const tops = (): string =>
        [...form.querySelectorAll("input, select, textarea, [role=tab], legend, summary")]
          .filter((element) => element.checkVisibility())
          .map((element) => element.getBoundingClientRect().top)
          .join(" ");
      const first = tops();
      const seen = { frames: 0, moved: [] as string[] };
      const look = (): void => {
        seen.frames++;
        if (tops() !== first) seen.moved.push(tops());
        requestAnimationFrame(look);
      };
      look();
      return seen;
    });
    for (const [typed, shown] of [
      ["${body[name]", /is not closed/],
      ["${body[name]}", /"Ada"/],
      ["${nosuch", /is not closed|nosuch/],
      ["Hi ${body[name]}", /"Hi Ada"/],
    ] as const) {
      const { frames } = await moves.jsonValue();
      await text.fill(typed);
      await inspector.getByText(shown).first().waitFor();
      await expect.poll(async () => (await moves.jsonValue()).frames, soon).toBeGreaterThan(frames);
    }
    expect((await moves.jsonValue()).moved).toEqual([]);
  });

  it("runs the tests in the page, on each change if enabled, and on the runtime", async () => {
    designer.writeFlow("tested", flow("tested"));
    writeTest("tested", "greeting", tests("tested", "Hello Ada from the ERP"));
    const page = await openFlow("tested", flow("tested"), "?view=split");
    await page.getByRole("button", { name: "Run tests", exact: true }).click();
    await page.getByText("1 of 1 passed in the browser").waitFor();
    await page.getByText("4 of 5 steps visited").waitFor();
    await page.getByRole("button", { name: "Run on every change" }).click();
    await typeSource(page, flow("tested", "Bye"));
    await page.getByText("0 of 1 passed in the browser").waitFor();
    await page.getByText('call 1 had the body "Bye Ada", expected "Hello Ada"').waitFor();
    await typeSource(page, flow("tested"));
    await page.getByText("1 of 1 passed in the browser").waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText(/^Deployed \d/).waitFor();
    await page.getByRole("button", { name: "Run on the runtime" }).click();
    await page.getByText("1 of 1 passed on the runtime").waitFor();
    const { runs } = (await runtime.api("GET", "/runs?flowId=tested&kind=test")).json;
    expect(runs.filter((run: { sessionId: string | null }) => run.sessionId !== null).length).toBeGreaterThan(0);
  });

  it("a trial becomes a test, which passes in the browser and on the runtime", async () => {
    const page = await openFlow("kept", flow("kept"));
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await body(page).fill('{"name": "Ada"}');
    await row(page, "known").waitFor();
    await page.getByRole("button", { name: "Save as test" }).click();
    await page.getByRole("dialog").getByLabel("Test name").fill("Ada is greeted");
    await page.getByRole("button", { name: "Save test" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(readdirSync(join(designer.workspace, "tests/kept"))).toEqual(["ada-is-greeted.test.yaml"]);
    expect(readFileSync(join(designer.workspace, "tests/kept/ada-is-greeted.test.yaml"), "utf8")).toContain("flowId: kept");
    await page.getByRole("button", { name: "Run tests", exact: true }).click();
    await page.getByText("1 of 1 passed in the browser").waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText(/^Deployed \d/).waitFor();
    await page.getByRole("button", { name: "Run on the runtime" }).click();
    await page.getByText("1 of 1 passed on the runtime").waitFor();
  });

  it("a recorded run is shown step by step, replayed from a step, and used as a sample", async () => {
    const text = flow("recorded").replace("http://erp.invalid/orders", "direct:erp").concat(`- route:
    id: erp
    from:
      uri: direct:erp
      steps:
        - setBody: {simple: "\${body} (known)"}
`);
    await runtime.putFlow("recorded", text);
    await runtime.api("POST", "/routes/recorded/capture", { forMs: 60_000 });
    const reply = await fetch(`${runtime.baseUrl}/api/recorded`, { method: "POST", body: '{"name": "Ada"}', headers: { "content-type": "application/json" } });
    const runId = reply.headers.get("x-run-id") as string;
    const page = await openFlow("recorded", text);
    await page.getByRole("tab", { name: "Runs" }).click();
    await page.getByRole("link", { name: runId }).click();
    expect(page.url()).toBe(`${designer.url}/flows/recorded/runs/${runId}`);
    await page.getByText("1 of 4: greet").waitFor();
    await page.getByRole("region", { name: "greet, Difference" }).getByText("Hello Ada").waitFor();
    await page.getByRole("slider", { name: "Step", exact: true }).press("ArrowRight");
    await page.getByText("2 of 4: call-erp").waitFor();
    await page.getByRole("region", { name: "call-erp, Difference" }).getByText("Hello Ada (known)").waitFor();
    await expect.poll(() => page.getByRole("treeitem", { selected: true }).innerText(), soon).toMatch(/^erp\n/);
    await page.getByRole("button", { name: "Replay from this step" }).click();
    await page.getByRole("dialog").getByLabel("Body").fill("Hello Bob");
    await page.getByRole("dialog").getByRole("button", { name: "Replay on local" }).click();
    await page.getByRole("dialog").getByText("Replay completed.").waitFor();
    const { runs } = (await runtime.api("GET", "/runs?routeId=recorded")).json;
    expect(runs[0]).toMatchObject({ replayOf: runId, steps: [{ stepId: "call-erp" }, { stepId: "choice1" }, { stepId: "stranger" }] });
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Use as sample" }).click();
    await page.getByRole("tab", { name: "Try it" }).click();
    await expect.poll(() => body(page).inputValue(), soon).toContain("Ada");
    await row(page, "known").waitFor();
  });

  it("content of messages, failures and names is shown as plain text", async () => {
    const script = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    const hostile = `- route:
    id: hostile
    description: "${script}"
    from:
      uri: webhook
      steps:
        - setHeader: {id: mark, name: x, constant: "${script}"}
        - to: {id: keep, uri: "sluice:dead-letters"}
        - throwException: {id: fail, exceptionType: java.io.IOException, message: "${script}"}
`;
    await runtime.putFlow("hostile", hostile);
    await runtime.api("POST", "/routes/hostile/capture", { forMs: 60_000 });
    const reply = await fetch(`${runtime.baseUrl}/api/hostile`, { method: "POST", body: script });
    const page = await openFlow("hostile", hostile);
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await body(page).fill(script);
    await row(page, "fail").getByText("<img src=x").waitFor();
    await row(page, "mark").getByRole("button", { name: "mark" }).click();
    await page.goto(`${designer.url}/flows/hostile/runs/${reply.headers.get("x-run-id")}`);
    await page.getByRole("paragraph").filter({ hasText: "<img src=x" }).first().waitFor();
    await page.goto(`${designer.url}/dead-letters`);
    await page
      .getByRole("button", { name: /^Show message/ })
      .first()
      .click();
    await page.getByRole("dialog").getByText("<script>").first().waitFor();
    await expect.poll(() => page.locator("img[src=x]").count(), soon).toBe(0);
    await runtime.api("DELETE", "/dead-letters?flowId=hostile");
  });

  it("a replay asks first and names the target, the version and the systems that are called", async () => {
    await runtime.putFlow("again", flow("again"));
    const { hash } = (await runtime.api("GET", "/flows/again")).json;
    const runId = (await call(runtime.baseUrl, "POST", "/api/again", '{"name": "Ada"}')).headers.get("x-run-id");
    const replays = async (): Promise<number> => (await runtime.api("GET", "/runs?flowId=again")).json.total;
    const page = await openFlow("again", flow("again"));
    await page.goto(`${designer.url}/flows/again/runs/${runId}`);
    const before = await replays();
    await page.getByRole("button", { name: "Replay…", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Replay on local?" });
    await dialog.getByText(`(hash ${hash.slice(0, 12)})`).waitFor();
    await dialog.getByText("'again' on local: the version deployed").waitFor();
    await dialog.getByText("'again' calls these systems again:").waitFor();
    await expect.poll(() => dialog.getByRole("listitem").getByRole("listitem").allInnerTexts(), soon).toEqual(["erp.invalid (/orders)"]);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await replays()).toBe(before);
    const step = page.getByRole("button", { name: "Replay from this step" });
    await step.click();
    await page.getByRole("dialog").getByText("erp.invalid (/orders)").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    expect(await replays()).toBe(before);
    await page.getByRole("button", { name: "Replay…", exact: true }).click();
    await dialog.getByRole("button", { name: "Replay on local" }).click();
    await page.getByText("Show run").waitFor();
    expect(await replays()).toBe(before + 1);
  });

  it("dead letters are found, viewed, replayed and deleted", async () => {
    await runtime.putFlow("letters", deadLetterFlow("letters"));
    for (const name of ["one", "two", "three"]) await fetch(`${runtime.baseUrl}/api/letters`, { method: "POST", body: `order ${name}` });
    await runtime.putFlow("letters", deadLetterFlow("letters", "log: fine"));
    const { page } = opened;
    await page.goto(`${designer.url}/dead-letters`);
    const list = page.getByRole("region", { name: "Dead letters" });
    await expect.poll(() => list.getByRole("row").count(), soon).toBe(4);
    await page.getByLabel("Search dead letters").fill("order two");
    await expect.poll(() => list.getByRole("row").count(), soon).toBe(2);
    await list.getByRole("button", { name: /^Show message/ }).click();
    await page.getByRole("dialog").getByText("order two").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await list.getByRole("button", { name: /^Replay/ }).click();
    const replay = page.getByRole("dialog", { name: "Replay on local?" });
    await replay.getByText(/^'letters' on local: the version deployed/).waitFor();
    await replay.getByText("Sluice (dead-letters)").or(replay.getByText("'letters' calls no other system.")).waitFor();
    expect((await runtime.api("GET", "/dead-letters")).json.total).toBe(3);
    await replay.getByRole("button", { name: "Replay on local" }).click();
    await page.getByText("1 replayed.").waitFor();
    await page.getByLabel("Search dead letters").fill("");
    await expect.poll(() => list.getByRole("row").count(), soon).toBe(3);
    await list.getByLabel("Select all").check();
    await page.getByRole("button", { name: "Delete 2 selected" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No dead letters").waitFor();
    expect((await runtime.api("GET", "/dead-letters")).json.total).toBe(0);
  });

  it("a dead letter that no longer exists does not stop the replay or the deletion of the others", async () => {
    await runtime.putFlow("some-letters", deadLetterFlow("some-letters"));
    for (let count = 0; count < 6; count++) await fetch(`${runtime.baseUrl}/api/some-letters`, { method: "POST", body: `order ${count}` });
    await runtime.putFlow("some-letters", deadLetterFlow("some-letters", "log: fine"));
    const ids = async (): Promise<readonly string[]> =>
      (await runtime.api("GET", "/dead-letters?routeId=some-letters")).json.deadLetters.map(({ id }: { id: string }) => id);
    const { page } = opened;
    await page.goto(`${designer.url}/dead-letters`);
    const list = page.getByRole("region", { name: "Dead letters" });
    const rows = list.getByRole("row");
    await expect.poll(() => rows.count(), soon).toBe(7);
    for (const index of [1, 2, 3]) await rows.nth(index).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Replay 3 selected" }).click();
    // The second of the three is deleted elsewhere while the dialog is open.
    await runtime.api("DELETE", `/dead-letters/${(await ids())[1]}`);
    await page.getByRole("dialog").getByRole("button", { name: "Replay on local" }).click();
    await page.getByText(/^2 replayed, 1 failed: .*not found/).waitFor();
    await expect.poll(async () => (await ids()).length, soon).toBe(3);
    await expect.poll(() => rows.count(), soon).toBe(4);
    await list.getByLabel("Select all").check();
    await page.getByRole("button", { name: "Delete 3 selected" }).click();
    await runtime.api("DELETE", `/dead-letters/${(await ids())[0]}`);
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText(/^2 deleted, 1 failed: .*not found/).waitFor();
    expect(await ids()).toEqual([]);
    await page.getByText("No dead letters").waitFor();
  });

  it("all dead letters of a route are replayed with their progress, also after a network failure, until the replay is cancelled", async () => {
    const partner = await gatedPartner();
    try {
      await runtime.putFlow("many-letters", deadLetterFlow("many-letters"));
      for (let count = 0; count < 16; count++) await fetch(`${runtime.baseUrl}/api/many-letters`, { method: "POST", body: `order ${count}` });
      await runtime.putFlow("many-letters", deadLetterFlow("many-letters", `to: {uri: "${partner.url}"}`));
      const { page, context } = opened;
      await page.goto(`${designer.url}/dead-letters`);
      await page.getByLabel("Route").selectOption("many-letters");
      await page.getByRole("button", { name: "Replay all of many-letters" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Replay on local" }).click();
      partner.reply(4);
      await page.getByText("4 of 16 processed…").waitFor();
      await Promise.all([page.waitForEvent("requestfailed", (request) => request.url().includes("/dead-letters/replays/")), context.setOffline(true)]);
      await expect.poll(() => page.getByRole("button", { name: "Cancel replay" }).count(), soon).toBe(1);
      await context.setOffline(false);
      partner.reply(4);
      await page.getByText("8 of 16 processed…").waitFor();
      await Promise.all([
        page.waitForResponse((response) => response.request().method() === "DELETE"),
        page.getByRole("button", { name: "Cancel replay" }).click(),
      ]);
      // Those that are being replayed.
      partner.reply(4);
      await page.getByText("12 replayed.").waitFor();
      await expect.poll(async () => (await runtime.api("GET", "/dead-letters?routeId=many-letters")).json.total, soon).toBe(4);
      await page.getByRole("button", { name: "Replay all of many-letters" }).waitFor();
    } finally {
      await runtime.api("DELETE", "/dead-letters?routeId=many-letters");
      await partner.close();
    }
  });
});

/** A partner that replies only to as many calls as the test allows. */
async function gatedPartner(): Promise<StubPartner & { reply(count: number): void }> {
  const waiting: ServerResponse[] = [];
  let allowed = 0;
  const replyAllowed = (): void => {
    while (allowed > 0 && waiting.length > 0) {
      allowed--;
      waiting.shift()?.end("fine");
    }
  };
  const partner = await stubPartner((_call, response) => {
    waiting.push(response);
    replyAllowed();
  });
  return {
    ...partner,
    reply(count) {
      allowed += count;
      replyAllowed();
    },
  };
}
