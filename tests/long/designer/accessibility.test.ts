// Checks the screens in both themes and at two sizes with axe-core, and saves screenshots when SCREENSHOTS names a folder.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enableAxe, findingsOfScreen } from "../../designer/axe.ts";
import { hasBrowser, openPage, soon, typeSource, type OpenPage } from "../../designer/browser.ts";
import { startTestServer, token as runtimeToken, type StartedServer } from "../../started-server.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "../../designer/started-designer.ts";

const screenshots = process.env["SCREENSHOTS"];

const flow = `${webhookFlow("orders")}        - choice:
            id: large-or-small
            when:
              - simple: "\${body} > 250"
                steps:
                  - log: {message: "large order of \${body}"}
            otherwise:
              steps:
                - lgo: {message: wrong}
`;

const otherFlow = "- route: {id: other, from: {uri: webhook, steps: [{log: 'a line to see'}]}}\n";

const heldFlow = "- route: {id: held, from: {uri: webhook, steps: [{setBody: {id: reply, simple: '${body}!'}}]}}\n";

const simulatedFlow = `- route:
    id: simulated
    from:
      uri: webhook
      steps:
        - setBody: {id: greet, simple: "Hello \${body[hello]}"}
        - to: {id: out, uri: http://erp.invalid/orders}
        - throwException: {id: fail, exceptionType: java.io.IOException, message: rejected by the ERP}
`;
const simulatedTests = `flowId: simulated
tests:
  - {name: it fails, when: {webhook: simulated}, mocks: [{id: erp, match: {stepId: out}, respond: {}}], then: [{status: failed}]}
  - {name: it does not, when: {webhook: simulated}, mocks: [{id: erp, match: {stepId: out}, respond: {}}], then: [{status: completed}, {reply: {status: 200}}]}
`;

let runtimeUrl = "";

/** How to reach each screen. */
const screens: Readonly<Record<string, (page: Page, url: string) => Promise<unknown>>> = {
  flows: (page, url) => page.goto(`${url}/flows`).then(() => page.getByRole("link", { name: "Orders to ERP" }).waitFor()),
  "new-flow": async (page, url) => {
    await page.goto(`${url}/flows/new`);
    await page.getByRole("dialog").getByLabel("Name").fill("Shopify to SAP");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Choose a category.").waitFor();
  },
  "editor-canvas": async (page, url) => {
    await page.goto(`${url}/flows/orders`);
    await page.getByRole("treeitem").nth(1).click();
    await page.getByRole("tab", { name: "Problems (1)" }).waitFor();
  },
  "editor-split": async (page, url) => {
    await page.goto(`${url}/flows/orders?view=split`);
    await page.locator(".cm-content").waitFor();
    await page.getByRole("tab", { name: "Problems (1)" }).click();
  },
  "editor-broken": async (page, url) => {
    await page.goto(`${url}/flows/orders?view=split`);
    await typeSource(page, `${flow}  bad: [`);
    await page.getByText("showing the last valid version").waitFor();
  },
  "editor-yaml-versions": async (page, url) => {
    await page.goto(`${url}/flows/orders?view=yaml`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("button", { name: "Compare" }).first().waitFor();
  },
  "editor-try": async (page, url) => {
    await page.goto(`${url}/flows/orders?view=yaml`);
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".try__body").waitFor();
  },
  "editor-tests": async (page, url) => {
    await page.goto(`${url}/flows/orders`);
    await page.getByRole("button", { name: "Run tests" }).click();
    await page.getByText("No tests yet").waitFor();
  },
  "editor-simulation": async (page, url) => {
    await page.goto(`${url}/flows/simulated`);
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByRole("button", { name: "out", exact: true }).click();
    await page.getByRole("tab", { name: "Message" }).click();
  },
  "editor-response": async (page, url) => {
    await page.goto(`${url}/flows/simulated`);
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByRole("button", { name: /^(Set|Edit) response: out/ }).click();
    await page.getByRole("dialog").getByLabel("Status").fill("201");
  },
  "editor-save-test": async (page, url) => {
    await page.goto(`${url}/flows/simulated`);
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByRole("button", { name: "Save as test" }).click();
    await page.getByRole("dialog").getByLabel("Test name").waitFor();
  },
  "editor-test-results": async (page, url) => {
    await page.goto(`${url}/flows/simulated`);
    await page.getByRole("button", { name: "Run tests" }).click();
    await page.getByText("1 of 2 passed in the browser").waitFor();
  },
  "run-on-canvas": async (page, url) => {
    await page.goto(`${url}/runs`);
    await page.getByRole("link", { name: /^run_/ }).last().click();
    await page.getByText("1 of 1: log1").waitFor();
  },
  "editor-breakpoint": async (page, url) => {
    await page.goto(`${url}/flows/held`);
    await page.getByRole("treeitem").nth(1).click();
    await page.keyboard.press("b");
    await page.getByRole("button", { name: "Watch for a message" }).click();
    await page.getByText("Waiting for a message").waitFor();
    void fetch(`${runtimeUrl}/api/held`, { method: "POST", body: '{"order": "A-1"}' });
    await page.getByRole("textbox", { name: "Body of the held message" }).waitFor();
  },
  "editor-breakpoint-conditions": async (page, url) => {
    await page.goto(`${url}/flows/held`);
    await page.getByRole("treeitem").nth(1).click();
    await page.keyboard.press("b");
    await page.getByRole("button", { name: "Edit conditions" }).click();
    await page.getByLabel("Condition of reply").fill("${body} contains 'A'");
  },
  "dead-letters": async (page, url) => {
    await page.goto(`${url}/dead-letters`);
    await page.getByLabel("Select all").check();
    await page.getByRole("button", { name: "Delete 1 selected" }).waitFor();
  },
  palette: async (page, url) => {
    await page.goto(`${url}/flows`);
    await page.getByRole("link", { name: "Orders to ERP" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Orders to ERP" }).waitFor();
  },
  shortcuts: async (page, url) => {
    await page.goto(`${url}/flows`);
    await page.getByRole("link", { name: "Orders to ERP" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Shortcuts" }).waitFor();
  },
  tests: async (page, url) => {
    await page.goto(`${url}/tests`);
    await page.getByRole("button", { name: "Run all" }).click();
    await page.getByText("1 of 2 passed").first().waitFor();
  },
  runs: (page, url) => page.goto(`${url}/runs`).then(() => page.getByRole("table").waitFor()),
  logs: async (page, url) => {
    await page.goto(`${url}/logs`);
    await page.getByText("Live").waitFor();
    await fetch(`${runtimeUrl}/api/other`, { method: "POST" });
    await page.getByRole("region", { name: "Log lines" }).waitFor();
  },
  connections: (page, url) => page.goto(`${url}/connections`).then(() => page.getByText("No connections yet").waitFor()),
  settings: (page, url) => page.goto(`${url}/settings`).then(() => page.getByText("Up, engine").waitFor()),
};

describe.skipIf(!hasBrowser)("accessibility (needs Chromium)", () => {
  let opened: OpenPage;
  let runtime: StartedServer;
  let designer: StartedDesigner;

  beforeAll(async () => {
    runtime = await startTestServer({ env: { SERVICE_BREAKPOINTS: "true" } });
    runtimeUrl = runtime.baseUrl;
    designer = await startTestDesigner(runtime.baseUrl, { environment: { SLUICE_TEST_TOKEN: runtimeToken } });
    designer.writeFlow("orders", flow);
    await runtime.putFlow("other", otherFlow);
    await fetch(`${runtime.baseUrl}/api/other`, { method: "POST" });
    designer.writeFlow("other", otherFlow);
    designer.writeFlow("held", heldFlow);
    await runtime.putFlow("held", heldFlow);
    designer.writeFlow("simulated", simulatedFlow);
    mkdirSync(join(designer.workspace, "tests/simulated"), { recursive: true });
    writeFileSync(join(designer.workspace, "tests/simulated/both.test.yaml"), simulatedTests);
    await runtime.putFlow("lost", "- route: {id: lost, from: {uri: webhook, steps: [{to: 'sluice:dead-letters'}]}}\n");
    await fetch(`${runtime.baseUrl}/api/lost`, { method: "POST", body: "unprocessed" });
    if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true });
    opened = await openPage();
    enableAxe(true);
  });
  afterAll(async () => {
    enableAxe(false);
    await opened?.close();
    await designer?.end();
    await runtime?.end();
  });

  it.each(Object.entries(screens))("%s has no findings in either theme, on a desktop or on a phone", async (name, visit) => {
    const { page } = opened;
    // Without the drafts and panel sizes of the previous screen, as in a new browser.
    await page.goto(`${designer.url}/icon.svg`);
    await page.evaluate(() => localStorage.clear());
    await page.setViewportSize({ width: 1280, height: 800 });
    await visit(page, designer.url);
    expect(await findingsOfScreen(page, name, false)).toEqual([]);
  });

  it("lists and forms fit a 390 pixel window", async () => {
    const { page, close } = await openPage({ viewport: { width: 390, height: 800 } });
    for (const path of ["/flows", "/flows/new", "/runs", "/dead-letters", "/tests", "/mappings", "/connections", "/access", "/logs", "/settings"]) {
      await page.goto(designer.url + path);
      await page.getByRole("heading").first().waitFor();
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), soon).toBeLessThanOrEqual(390);
      if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `narrow${path.replaceAll("/", "-")}.png`) });
    }
    await close();
  });
});
