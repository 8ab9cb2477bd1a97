// The Versions tab against a real runtime, in a real browser.
import { userInfo } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, token, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { badge, hasBrowser, openPage, soon, typeSource, type OpenPage } from "./browser.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "./started-designer.ts";

describe.skipIf(!hasBrowser)("the versions of a flow (needs Chromium)", () => {
  let server: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeEach(async () => {
    server = await startTestServer();
    designer = await startTestDesigner(server.baseUrl, {
      environment: { SLUICE_TEST_TOKEN: token },
      stored: { "flows/orders.yaml": webhookFlow("orders", "one") },
    });
    opened = await openPage();
  });
  afterEach(async () => {
    await opened?.close();
    await designer?.end();
    await server?.end();
  });

  const reply = async (): Promise<string> => (await fetch(`${server.baseUrl}/api/orders`, { method: "POST" })).text();

  it("shows author and running version, restores as an undoable edit, and rolls back after naming target and version", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/orders?view=yaml`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText(badge).waitFor();
    await typeSource(page, webhookFlow("orders", "two"));
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await expect.poll(reply, soon).toBe("two");
    await page.getByRole("tab", { name: "Versions" }).click();
    const deployed = page.getByRole("region", { name: "Deployed to local" });
    const row = (version: string) => deployed.getByRole("row", { name: new RegExp(`^${version}\\b`) });
    await row("v2").getByText("Running").waitFor();
    await expect.poll(() => row("v2").innerText(), soon).toContain(userInfo().username);
    await expect.poll(() => row("v1").getByText("Running").count(), soon).toBe(0);
    await expect.poll(() => row("v2").getByRole("button", { name: "Roll back on local…" }).isDisabled(), soon).toBe(true);

    await row("v1").getByRole("button", { name: "Compare" }).click();
    const difference = page.getByRole("dialog", { name: "Changes from v1 to the current text" });
    await difference.getByText("constant: two").waitFor();
    await difference.getByRole("button", { name: "Restore" }).click();
    await page.getByText("1 unsaved change").waitFor();
    await page.locator(".cm-content").getByText("constant: one").waitFor();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+z");
    await page.locator(".cm-content").getByText("constant: two").waitFor();
    expect(await reply()).toBe("two");

    await row("v1").getByRole("button", { name: "Roll back on local…" }).click();
    const dialog = page.getByRole("dialog", { name: "Roll back 'orders' on local to v1?" });
    await dialog.getByText(`by ${userInfo().username} replaces the running version v2 on local.`).waitFor();
    await dialog.getByRole("region", { name: "Difference" }).getByText("constant: one").waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await reply()).toBe("two");
    await row("v1").getByRole("button", { name: "Roll back on local…" }).click();
    await dialog.getByRole("button", { name: "Roll back on local", exact: true }).click();
    await expect.poll(reply, soon).toBe("one");
    await row("v3").getByText("Running").waitFor();
    await row("v3").getByText("Restored from v1").waitFor();
    expect(designer.flowText("orders")).toBe(webhookFlow("orders", "two"));

    // The designer records the version it rolled back to, so the next Deploy is not a conflict.
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await expect.poll(reply, soon).toBe("two");
    await expect.poll(() => page.getByRole("dialog").count(), soon).toBe(0);
    await row("v4").getByText("Running").waitFor();
    expect(await findingsOf(page)).toEqual([]);
    expect(opened.pageErrors).toEqual([]);
  });

  it("Review changes lists the changes on the target by step and shows them on the canvas; nothing is deployed until Deploy is clicked", async () => {
    const { page } = opened;
    const text = (steps: string): string => `- route:\n    id: reviewed\n    from:\n      uri: platform-http:/api/reviewed\n      steps:\n${steps}`;
    const before = "        - log: arrived\n        - setBody:\n            constant: one\n";
    const dropped = "- route: {id: dropped, from: {uri: 'direct:dropped', steps: [{log: gone}]}}\n";
    designer.writeFlow("reviewed", text(before) + dropped);
    expect((await server.putFlow("reviewed", text(before) + dropped)).status).toBe(201);
    const tests = "flowId: reviewed\ntests:\n  - name: answers\n    when: {webhook: reviewed}\n    then: [{visited: [log1]}]\n";
    expect((await designer.call("PUT", "/_designer/flows/reviewed/tests/answers", { text: tests, expectedHash: null })).status).toBeLessThan(300);
    await page.goto(`${designer.url}/flows/reviewed?view=yaml`);
    await page.locator(".cm-content").waitFor();
    await typeSource(page, text("        - setBody:\n            constant: two\n        - setHeader:\n            name: kind\n            constant: order\n"));
    await page.getByRole("button", { name: "Review changes" }).click();
    const dialog = page.getByRole("dialog", { name: "Changes to deploy to local" });
    const changes = dialog.getByRole("list", { name: "Changes" }).getByRole("listitem");
    await expect
      .poll(async () => (await changes.allInnerTexts()).map((line) => line.replaceAll(/\s+/g, " ").trim()), soon)
      .toEqual([
        "− Removed: Route dropped (direct:dropped) stops",
        "~ Changed: Set body: constant one → two",
        "+ Added: Set header kind (order)",
        "− Removed: Log (arrived)",
      ]);
    expect(await findingsOf(page)).toEqual([]);
    await dialog.getByRole("region", { name: "Webhook contract" }).getByText("Compatible: existing callers are not affected.").waitFor();
    await expect
      .poll(() => dialog.getByRole("region", { name: "Affected tests" }).getByRole("listitem").allInnerTexts(), soon)
      .toEqual(["answers: runs the changed route reviewed, refers to the removed step log1"]);

    // Navigate by keyboard to the canvas, where each change has a badge with text.
    await changes.nth(1).getByRole("button").press("Enter");
    const canvas = page.getByRole("region", { name: "Canvas" });
    const bar = canvas.getByRole("region", { name: "Changes since the version on local" });
    await bar.getByText("1 added, 1 changed, 2 removed").waitFor();
    const cards = canvas.locator(".route .card");
    const marks = async (): Promise<readonly string[]> => (await cards.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
    await expect
      .poll(marks, soon)
      .toEqual([
        "Webhook , trigger, /api/reviewed",
        "Log arrived − Removed",
        "Set body , transform step, 1 of 2, constant one → two ~ Changed",
        "Set header kind , transform step, 2 of 2, order + Added",
      ]);
    const gone = canvas.getByRole("region", { name: "Removed route dropped" });
    await expect.poll(() => gone.locator(".card").count(), soon).toBe(2);
    await gone.getByText("gone").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), soon).toContain("Set body");
    expect(await findingsOf(page)).toEqual([]);
    await page.keyboard.press("Control+z");
    await bar.getByText("No route or step changes.").waitFor();
    await expect.poll(() => canvas.getByText("Removed").count(), soon).toBe(0);
    await page.keyboard.press("Control+Shift+z");
    await bar.getByText("1 added, 1 changed, 2 removed").waitFor();
    await bar.getByRole("button", { name: "Review changes" }).click();
    await changes.first().waitFor();
    const reviewedReply = async (): Promise<string> => (await fetch(`${server.baseUrl}/api/reviewed`, { method: "POST" })).text();
    expect(await reviewedReply()).toBe("one");
    await dialog.getByRole("button", { name: "Deploy to local" }).click();
    await expect.poll(reviewedReply, soon).toBe("two");
    await bar.waitFor({ state: "detached" });

    // Callers with other methods are rejected.
    await page.goto(`${designer.url}/flows/reviewed?view=yaml`);
    await page.locator(".cm-content").waitFor();
    await typeSource(page, designer.flowText("reviewed").replace("/api/reviewed", "/api/reviewed?httpMethodRestrict=POST"));
    await page.getByRole("button", { name: "Review changes" }).click();
    const contract = dialog.getByRole("region", { name: "Webhook contract" });
    await contract.getByText("Breaking: some requests that succeed now will be rejected after the deployment.").waitFor();
    await expect.poll(() => contract.getByRole("listitem").allInnerTexts(), soon).toEqual(["/api/reviewed no longer accepts all methods"]);
    expect(await findingsOf(page)).toEqual([]);
  });
});
