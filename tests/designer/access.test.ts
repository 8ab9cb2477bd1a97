// Access policies edited in a real browser and enforced by a real runtime.
import { createHmac } from "node:crypto";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replyFlow, startTestServer, token, type StartedServer } from "../started-server.ts";
import { hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const policy = {
  authenticate: [
    { type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "shop", key: "s3cr3t-of-the-shop", roles: ["write"] }] },
    { type: "hmac", preset: "github", secrets: ["first-secret", { env: "GH_SECRET" }], roles: ["hooks"] },
  ],
  rules: [{ methods: ["POST"], roles: ["write", "hooks"] }],
  default: "deny",
  rateLimit: { limit: 1000, windowSec: 60, by: "ip" },
};

const signed = (secret: string): Readonly<Record<string, string>> => ({
  "X-Hub-Signature-256": `sha256=${createHmac("sha256", secret).update("{}").digest("hex")}`,
});

describe.skipIf(!hasBrowser)("access (needs Chromium)", () => {
  let runtime: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;
  let page: Page;

  beforeEach(async () => {
    runtime = await startTestServer();
    designer = await startTestDesigner(runtime.baseUrl, { environment: { SLUICE_TEST_TOKEN: token } });
    await runtime.putFlow("orders", replyFlow("orders", "ok"));
    await runtime.putFlow("stock", replyFlow("stock", "ok"));
    opened = await openPage();
    page = opened.page;
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    await runtime.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const call = async (headers: Readonly<Record<string, string>> = {}, flow = "orders"): Promise<number> =>
    (await fetch(`${runtime.baseUrl}/api/${flow}`, { method: "POST", headers, body: "{}" })).status;
  const save = async (): Promise<void> => {
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^Saved. In effect since/).waitFor();
  };

  it("shows which flows are open, and the schemes of the others", async () => {
    await runtime.api("PUT", "/auth/orders", policy);
    await page.goto(`${designer.url}/access`);
    await page.getByRole("row", { name: /stock/ }).getByText("Open to everyone").waitFor();
    const row = page.getByRole("row", { name: /orders/ });
    await row.getByText("API key", { exact: true }).waitFor();
    await row.getByText("HMAC signature", { exact: true }).waitFor();
    await row.getByText("rejected").waitFor();
    await page.getByRole("link", { name: "stock" }).click();
    await page.getByText("Anyone who can reach the runtime can call its webhooks").waitFor();
  });

  it("lists only flows that can be called, and no access state for those that are not deployed", async () => {
    await runtime.putFlow("inner", "- from: {uri: direct:inner, steps: [{log: x}]}\n");
    await runtime.putFlow("shop", "- rest: {path: /shop, get: [{to: direct:shop}]}\n- from: {uri: direct:shop, steps: [{log: x}]}\n");
    designer.writeFlow("draft", replyFlow("draft", "ok"));
    await page.goto(`${designer.url}/access`);
    const access = (flow: string): Promise<string> => page.getByRole("row", { name: flow }).getByRole("cell").nth(1).innerText();
    await page.getByRole("row", { name: "inner" }).waitFor({ state: "detached" });
    expect(await access("shop")).toBe("Open to everyone");
    expect(await access("draft")).toBe("No policy");
    await runtime.api("POST", "/routes/stock/stop");
    await page.reload();
    await page.getByRole("row", { name: "stock" }).waitFor();
    await page.getByRole("row", { name: "inner" }).waitFor({ state: "detached" });
    expect(await access("stock"), "a stopped webhook is open as soon as it starts").toBe("Open to everyone");
  });

  it("protects a flow with keys and rules that apply immediately", async () => {
    await page.goto(`${designer.url}/flows/orders/access`);
    expect(await call()).toBe(200);
    await page.getByRole("button", { name: "Add API keys" }).click();
    await page.getByLabel("Key id").fill("shop");
    await page.getByLabel("Key", { exact: true }).fill("s3cr3t-of-the-shop");
    await page.getByLabel("Roles", { exact: true }).fill("read, write");
    await page.getByRole("button", { name: "Add rule" }).click();
    await page.getByLabel("Methods", { exact: true }).fill("post");
    await page.getByLabel("Who may call").selectOption("roles");
    await page.getByRole("region", { name: "Rules" }).getByLabel("Roles", { exact: true }).fill("write");
    await page.getByLabel("When no rule matches").selectOption("deny");
    const status = page.getByRole("region", { name: "Test a request" }).getByRole("status");
    await expect.poll(() => status.innerText(), soon).toBe("Rule 1 applies: rejected with 401, because credentials are missing.");
    await page.getByLabel("With valid credentials").check();
    await page.getByLabel("Caller roles").fill("write");
    await expect.poll(() => status.innerText(), soon).toBe("Rule 1 applies: allowed.");
    expect(await call()).toBe(200);
    await save();
    expect(await call()).toBe(401);
    expect(await call({ "X-API-Key": "s3cr3t-of-the-shop" })).toBe(200);
    expect(await call({}, "stock")).toBe(200);
    expect((await runtime.api("GET", "/auth/orders")).json).toMatchObject({
      authenticate: [{ type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "shop", key: "***", roles: ["read", "write"] }] }],
      rules: [{ methods: ["POST"], roles: ["write"] }],
      default: "deny",
    });
    expect(await page.content()).not.toContain("s3cr3t-of-the-shop");
  });

  it("shows secrets as *** and keeps unchanged ones", async () => {
    await runtime.api("PUT", "/auth/orders", policy);
    await page.goto(`${designer.url}/flows/orders/access`);
    await expect.poll(() => page.getByLabel("Key", { exact: true }).inputValue(), soon).toBe("***");
    await expect.poll(() => page.getByLabel("Secret 1", { exact: true }).inputValue(), soon).toBe("***");
    await expect.poll(() => page.getByLabel("Secret 2", { exact: true }).inputValue(), soon).toBe("GH_SECRET");
    await page.getByRole("button", { name: "Replace secret 1" }).click();
    await page.getByLabel("Secret 1", { exact: true }).fill("second-secret");
    await page.getByLabel("Expires at").fill("2099-01-01T00:00:00Z");
    await save();
    expect(await call({ "X-API-Key": "s3cr3t-of-the-shop" })).toBe(200);
    expect(await call(signed("second-secret"))).toBe(200);
    expect(await call(signed("first-secret"))).toBe(401);
    await expect.poll(() => page.getByLabel("Secret 1", { exact: true }).inputValue(), soon).toBe("***");
    await page.getByText("environment variable 'GH_SECRET' is not set").waitFor();
  });

  it("shows validation errors of the runtime at the field", async () => {
    await page.goto(`${designer.url}/flows/orders/access`);
    await page.getByRole("button", { name: "Add JWT" }).click();
    await page.getByRole("button", { name: "Add users" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const invalid = (label: string): Promise<string | null> => page.getByLabel(label, { exact: true }).getAttribute("aria-invalid");
    await expect.poll(() => invalid("JWKS URL"), soon).toBe("true");
    expect(await invalid("User name")).toBe("true");
    expect(await invalid("Password")).toBe("true");
    await page.getByRole("button", { name: "Remove JWT 1" }).click();
    expect(await invalid("User name")).toBeNull();
    await page.getByRole("button", { name: "Remove Basic 1" }).click();
    await page.getByLabel("Allowed IP addresses").fill("10.0.0.0/8, nowhere");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("[1] must be an address or a network").waitFor();
    expect(await invalid("Allowed IP addresses")).toBe("true");
    expect(await invalid("Blocked IP addresses")).toBeNull();
    expect((await runtime.api("GET", "/auth/orders")).status).toBe(404);
    expect(await call()).toBe(200);
  });

  it("edits every other part of a policy", async () => {
    await page.goto(`${designer.url}/flows/orders/access`);
    await page.getByRole("button", { name: "Add users" }).click();
    await page.getByLabel("User name").fill("erp");
    await page.getByLabel("Password source").selectOption("env");
    await page.getByLabel("Password", { exact: true }).fill("ERP_PW");
    await page.getByRole("button", { name: "Add JWT" }).click();
    await page.getByLabel("JWKS URL").fill("https://idp.example.com/jwks");
    await page.getByLabel("Issuer").fill("https://idp.example.com");
    await page.getByLabel("Algorithms").fill("RS256, ES256");
    await page.getByLabel("Clock skew (seconds)").fill("30");
    await page.getByRole("button", { name: "Add HMAC signature" }).click();
    await page.getByLabel("Signature scheme").selectOption({ label: "Custom" });
    await page.getByLabel("Signature header").fill("X-Sig");
    await page.getByLabel("Encoding").selectOption("base64");
    await page.getByLabel("Secret 1", { exact: true }).fill("abc");
    await page.getByLabel("Blocked IP addresses").fill("192.0.2.0/24");
    await page.getByLabel("Rate limit").check();
    await page.getByLabel("Requests", { exact: true }).fill("5");
    await page.getByLabel("Per", { exact: true }).selectOption("route");
    await page.getByLabel("Cross-origin requests (CORS)").check();
    await page.getByLabel("Origins", { exact: true }).fill("https://shop.example");
    await page.getByLabel("Allow credentials").check();
    await save();
    const { lastModified: _lastModified, ...savedPolicy } = (await runtime.api("GET", "/auth/orders")).json;
    expect(savedPolicy).toMatchObject({
      flowId: "orders",
      authenticate: [
        { type: "basic", users: [{ username: "erp", password: { env: "ERP_PW" } }] },
        { type: "jwt", issuer: "https://idp.example.com", jwksUri: "https://idp.example.com/jwks", algorithms: ["RS256", "ES256"], clockSkewSec: 30 },
        { type: "hmac", header: "X-Sig", encoding: "base64", secrets: [{ value: "***" }] },
      ],
      ip: { deny: ["192.0.2.0/24"] },
      rateLimit: { limit: 5, windowSec: 60, by: "route" },
      cors: { origins: ["https://shop.example"], credentials: true },
    });
  });

  it("deletes a policy after a confirmation, which opens the flow again", async () => {
    await runtime.api("PUT", "/auth/orders", policy);
    await page.goto(`${designer.url}/flows/orders/access`);
    await page.getByRole("button", { name: "Delete policy" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await call()).toBe(401);
    await page.getByRole("button", { name: "Delete policy" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("The policy was deleted.").waitFor();
    expect((await runtime.api("GET", "/auth/orders")).status).toBe(404);
    expect(await call()).toBe(200);
  });

  it("does not overwrite a newer policy and keeps the input", async () => {
    await runtime.api("PUT", "/auth/orders", policy);
    await page.goto(`${designer.url}/flows/orders/access`);
    await page.getByLabel("Requests", { exact: true }).fill("7");
    await runtime.api("PUT", "/auth/orders", { ...policy, rateLimit: { limit: 9, windowSec: 60 } });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("alert").getByText("changed since").waitFor();
    expect((await runtime.api("GET", "/auth/orders")).json.rateLimit.limit).toBe(9);
    await page.getByRole("link", { name: "All flows" }).click();
    await page.getByRole("link", { name: "orders" }).click();
    await page.getByText("Your unsaved changes were restored.").waitFor();
    await expect.poll(() => page.getByLabel("Requests", { exact: true }).inputValue(), soon).toBe("7");
  });

  it("does not show a flow as open when its policy cannot be read", async () => {
    const broken = { flowId: "orders", lastModified: null, hash: null, schemes: [], ruleCount: 0, default: null, error: "the file does not contain a policy" };
    await page.route("**/_api/auth", (route) => route.fulfill({ json: { policies: [broken], total: 1 } }));
    await page.goto(`${designer.url}/access`);
    await page
      .getByRole("row", { name: /orders/ })
      .getByText("Unreadable: all calls are rejected")
      .waitFor();
    await page.getByRole("link", { name: "orders" }).click();
    await page.getByText("all calls are rejected: the file does not contain a policy.").waitFor();
    await expect.poll(() => page.getByText(/can call it|open to everyone/i).count(), soon).toBe(0);
    await page.getByRole("button", { name: "Delete policy" }).waitFor();
  });
});
