// Where a deploy token may be sent: only to `/_api/…` of a target, and to a new address only after the password and a confirmation.
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startStubRuntime, type StubRuntime } from "./stub-runtime.ts";
import { startTestDesigner, token, type StartedDesigner } from "./started-designer.ts";

let runtime: StubRuntime;
let designer: StartedDesigner;

beforeEach(async () => {
  runtime = await startStubRuntime();
  designer = await startTestDesigner(runtime.baseUrl);
});

afterEach(async () => {
  await designer.end();
  await runtime.close();
});

/** Sends the path as it is; `fetch` would normalize it. */
function rawCall(path: string, options: { method?: string; body?: string; headers?: Record<string, string>; localAddress?: string } = {}): Promise<number> {
  const { hostname, port } = new URL(designer.url);
  const { method = "GET", body, headers = {}, localAddress } = options;
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, method, path, headers, ...(localAddress === undefined ? {} : { localAddress }) }, (reply) => {
      reply.resume().once("end", () => resolve(reply.statusCode ?? 0));
    });
    call.once("error", reject).end(body);
  });
}

describe("paths of the proxy", () => {
  it.each([
    "/_api/../leak",
    "/_api/%2e%2e/leak",
    "/_api/%2E./leak",
    "/_api/flows/../../leak",
    "/_api/..%2fleak",
    "/_api/..%5cleak",
    "/_api/..\\leak",
    "/_api/%252e%252e/leak",
    "/_api/./flows",
    "/_api//flows",
    "/_api/%zz",
  ])("%j is not forwarded", async (path) => {
    expect(await rawCall(path)).toBe(400);
    expect(runtime.requests).toEqual([]);
  });

  it("a normalized path is forwarded unchanged, with its query", async () => {
    expect(await rawCall("/_api/flows/a%20b?x=../y&z=%2e%2e")).toBe(404);
    expect(runtime.requests.map(({ url }) => url)).toEqual(["/_api/flows/a%20b?x=../y&z=%2e%2e"]);
    expect(runtime.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
  });
});

describe("new targets", () => {
  const put = (targets: readonly unknown[], more: Readonly<Record<string, unknown>> = {}, headers: Readonly<Record<string, string>> = {}) =>
    designer.call("PUT", "/_designer/targets", { targets, ...more }, headers);
  const local = () => ({ name: "local", baseUrl: runtime.baseUrl, tokenEnv: "SLUICE_TEST_TOKEN" });
  const staging = { name: "staging", baseUrl: "https://staging.example", tokenEnv: "SLUICE_STAGING_TOKEN" };
  const confirmed = { confirmed: ["https://staging.example"] };

  it.each([
    "GITHUB_TOKEN",
    "NPM_TOKEN",
    "PROD_DEPLOY_TOKEN",
    "SLUICE_TOKEN_FILE",
    "MY_SLUICE_PROD_TOKEN",
    "sluice_prod_token",
    "SERVICE_OTHER_TOKEN",
    "__proto__",
  ])("the variable %s cannot be a token", async (tokenEnv) => {
    const reply = await put([local(), { ...staging, tokenEnv }], confirmed);
    expect(reply.status).toBe(422);
    expect(reply.json.error).toContain("SLUICE_");
    expect((await designer.call("GET", "/_designer/targets")).json.targets).toHaveLength(1);
  });

  it.each(["SLUICE_STAGING_TOKEN", "SLUICE_EU_2_TOKEN", "SERVICE_DEPLOY_TOKEN"])("the variable %s can be a token", async (tokenEnv) => {
    expect((await put([local(), { ...staging, tokenEnv }], confirmed)).status).toBe(200);
  });

  it("a stored target with another variable stays in the list but gets no token", async () => {
    const otherDesigner = await startTestDesigner(runtime.baseUrl, {
      environment: { SLUICE_TEST_TOKEN: token, GITHUB_TOKEN: "gh-secret" },
      stored: { ".sluice/targets.json": JSON.stringify([{ name: "old", baseUrl: runtime.baseUrl, tokenEnv: "GITHUB_TOKEN" }]) },
    });
    try {
      expect((await otherDesigner.call("GET", "/_designer/targets")).json.targets).toMatchObject([{ name: "local" }, { name: "old", hasToken: false }]);
      const reply = await otherDesigner.call("GET", "/_api/flows", undefined, { "x-sluice-target": "old" });
      expect(reply.status).toBe(503);
      expect(reply.json.error).toContain("SLUICE_");
      expect(runtime.requests).toEqual([]);
    } finally {
      await otherDesigner.end();
    }
  });

  it("one invalid stored target does not drop the others, and is kept when targets are saved", async () => {
    const validTarget = (name: string) => ({ name, baseUrl: runtime.baseUrl, tokenEnv: "SLUICE_TEST_TOKEN" });
    const invalidTarget = { name: "typo", baseUrl: "ftp//nowhere", tokenEnv: "SLUICE_TEST_TOKEN" };
    const otherDesigner = await startTestDesigner(runtime.baseUrl, {
      stored: { ".sluice/targets.json": JSON.stringify([validTarget("one"), invalidTarget, validTarget("two")]) },
    });
    const names = async () => (await otherDesigner.call("GET", "/_designer/targets")).json.targets.map(({ name }: { name: string }) => name);
    try {
      expect(await names()).toEqual(["local", "one", "two"]);
      expect(
        (
          await otherDesigner.call("PUT", "/_designer/targets", {
            targets: [validTarget("local"), validTarget("one"), validTarget("two"), validTarget("three")],
          })
        ).status,
      ).toBe(200);
      expect(await names()).toEqual(["local", "one", "two", "three"]);
      expect(JSON.parse(readFileSync(join(otherDesigner.workspace, ".sluice/targets.json"), "utf8"))).toContainEqual(invalidTarget);
    } finally {
      await otherDesigner.end();
    }
  });

  it("a stored list that is not JSON is reported on the next save instead of overwritten", async () => {
    const otherDesigner = await startTestDesigner(runtime.baseUrl, { stored: { ".sluice/targets.json": '[{"name": "one",' } });
    try {
      const reply = await otherDesigner.call("PUT", "/_designer/targets", {
        targets: [{ name: "local", baseUrl: runtime.baseUrl, tokenEnv: "SLUICE_TEST_TOKEN" }],
      });
      expect(reply.status).toBe(409);
      expect(reply.json.error).toContain("targets.json");
      expect(readFileSync(join(otherDesigner.workspace, ".sluice/targets.json"), "utf8")).toBe('[{"name": "one",');
    } finally {
      await otherDesigner.end();
    }
  });

  it("another host must be confirmed first, and nothing is sent to it until then", async () => {
    const other = await startStubRuntime();
    try {
      const moved = { ...local(), baseUrl: other.baseUrl };
      const reply = await put([moved]);
      expect(reply.status).toBe(409);
      expect(reply.json).toMatchObject({ confirm: [{ target: "local", address: other.baseUrl, tokenEnv: "SLUICE_TEST_TOKEN" }] });
      await designer.call("GET", "/_api/flows");
      expect(other.requests).toEqual([]);
      expect((await put([moved], { confirmed: ["http://another.example"] })).status).toBe(409);
      expect((await put([moved], { confirmed: [other.baseUrl] })).status).toBe(200);
      await designer.call("GET", "/_api/flows");
      expect(other.requests).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  it("a token of one host is not sent to the host of another target without a confirmation", async () => {
    expect((await put([local(), staging], confirmed)).status).toBe(200);
    expect((await put([local(), { ...staging, tokenEnv: "SLUICE_TEST_TOKEN" }])).status).toBe(409);
  });

  it("renaming and removing need no confirmation", async () => {
    expect((await put([local(), staging], confirmed)).status).toBe(200);
    expect((await put([{ ...local(), name: "here" }, staging])).status).toBe(200);
    expect((await put([staging])).status).toBe(200);
  });

  it("with a password, a new target needs it; removing one does not", async () => {
    await designer.end();
    designer = await startTestDesigner(runtime.baseUrl, { password: "pass word" });
    const { headers } = await designer.call("POST", "/_designer/session", { password: "pass word" });
    const session = { cookie: (headers.get("set-cookie") ?? "").split(";")[0] as string };
    const missing = await put([local(), staging], confirmed, session);
    expect([missing.status, missing.json.needs]).toEqual([403, "password"]);
    expect((await put([local(), staging], { ...confirmed, password: "wrong" }, session)).status).toBe(403);
    expect((await put([local(), staging], { ...confirmed, password: "pass word" }, session)).status).toBe(200);
    expect((await put([local()], {}, session)).status).toBe(200);
  });
});

describe("guessing the password", () => {
  const guess = (password: string, options: { localAddress?: string; headers?: Record<string, string> } = {}) =>
    rawCall("/_designer/session", {
      method: "POST",
      body: JSON.stringify({ password }),
      ...options,
      headers: { "content-type": "application/json", ...options.headers },
    });

  beforeEach(async () => {
    await designer.end();
    designer = await startTestDesigner(runtime.baseUrl, { password: "pass word", trustedProxies: ["127.0.0.9"] });
  });

  it("wrong passwords from one address do not block the correct one from another", async () => {
    const statuses = [];
    for (let index = 0; index < 30; index++) statuses.push(await guess(`${index}`, { localAddress: "127.0.0.2" }));
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    expect(await guess("pass word", { localAddress: "127.0.0.3" })).toBe(200);
  });

  it("behind a trusted proxy the forwarded address counts, elsewhere it is ignored", async () => {
    for (let index = 0; index < 30; index++) await guess(`${index}`, { localAddress: "127.0.0.9", headers: { "x-forwarded-for": "1.1.1.1, 192.0.2.1" } });
    expect(await guess("pass word", { localAddress: "127.0.0.9", headers: { "x-forwarded-for": "192.0.2.1" } })).toBe(429);
    expect(await guess("pass word", { localAddress: "127.0.0.9", headers: { "x-forwarded-for": "192.0.2.2" } })).toBe(200);
    let last = 0;
    for (let index = 0; index < 30; index++)
      last = await guess(`${index}`, { localAddress: "127.0.0.4", headers: { "x-forwarded-for": `198.51.100.${index}` } });
    expect(last).toBe(429);
  });
});
