// The designer's server alone: the files it writes, the requests it accepts, and the requests it forwards.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeWorkspaceFile } from "../../packages/designer/server/workspace/durable-file.ts";
import { hashOf, startStubRuntime, type StubRuntime } from "./stub-runtime.ts";
import { startTestDesigner, token, webhookFlow, type StartedDesigner } from "./started-designer.ts";

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

/** A promise, and the function that resolves it. */
function signal(): [Promise<void>, () => void] {
  let resolve = (): void => undefined;
  return [new Promise((done) => (resolve = done)), () => resolve()];
}

const save = (id: string, text: string, expectedHash: string | null = null) =>
  designer.call("PUT", `/_designer/flows/${encodeURIComponent(id)}`, { text, expectedHash });
const deploy = (id: string, text: string, more: Readonly<Record<string, unknown>> = {}) =>
  designer.call("POST", `/_designer/flows/${id}/deploy`, { text, baseHash: null, target: null, overwrite: null, ...more });

describe("saving", () => {
  it("writes the exact text, does not call a runtime, and stores a version", async () => {
    const text = webhookFlow("orders");
    const reply = await save("orders", text);
    expect(reply.json).toMatchObject({ hash: hashOf(text), changed: true, versionStored: true });
    expect(designer.flowText("orders")).toBe(text);
    expect(runtime.requests).toEqual([]);
    const { json } = await designer.call("GET", "/_designer/flows/orders/versions");
    expect(json.versions).toMatchObject([{ reason: "save", hash: hashOf(text) }]);
  });

  it("rejects overwriting unseen content, and returns the current content", async () => {
    await save("orders", "a: 1\n");
    designer.writeFlow("orders", "b: 2\n");
    const reply = await save("orders", "c: 3\n", hashOf("a: 1\n"));
    expect(reply.status).toBe(409);
    expect(reply.json).toMatchObject({ conflict: "file", disk: { text: "b: 2\n", hash: hashOf("b: 2\n") } });
    expect(designer.flowText("orders")).toBe("b: 2\n");
    expect((await save("orders", "c: 3\n", hashOf("b: 2\n"))).status).toBe(200);
  });

  it("lets exactly one of many simultaneous writers win", async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, (_, index) => save("race", `n: ${index}\n`)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(7);
  });

  it("keeps the last 20 versions and returns their text", async () => {
    let hash: string | null = null;
    for (let index = 0; index < 24; index++) hash = (await save("many", `n: ${index}\n`, hash)).json.hash;
    const { versions } = (await designer.call("GET", "/_designer/flows/many/versions")).json;
    expect(versions).toHaveLength(20);
    expect((await designer.call("GET", `/_designer/flows/many/versions/${versions[0].id}`)).json.text).toBe("n: 23\n");
    expect((await designer.call("GET", `/_designer/flows/many/versions/${versions[19].id}`)).json.text).toBe("n: 4\n");
  });

  it.each(["../../x", "..%2f..%2fx", ".hidden", "a/b", "con", "x".repeat(200), "a\0b", "<b>", ""])(
    "the id %j is rejected and no file is written",
    async (id) => {
      const before = designer.files();
      const reply = await save(id, "a: 1\n");
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(designer.files()).toEqual(before);
    },
  );
});

describe("listing", () => {
  it("counts routes with and without an id", async () => {
    designer.writeFlow(
      "three",
      `${webhookFlow("three")}- route: {from: {uri: direct:a, steps: [{log: a}]}}\n- from: {uri: direct:b, steps: [{log: b}]}\n- beans: []\n`,
    );
    expect((await designer.call("GET", "/_designer/flows")).json.flows).toMatchObject([{ id: "three", routeIds: ["three"], routeCount: 3 }]);
  });

  it("omits files whose name is not a valid id", async () => {
    const names = ["orders", "con", "a..b", "a.", ".hidden", "with space"];
    const stored = Object.fromEntries(names.flatMap((name) => [`flows/${name}.yaml`, `tests/orders/${name}.test.yaml`]).map((path) => [path, "a: 1\n"]));
    const otherDesigner = await startTestDesigner(runtime.baseUrl, { stored });
    try {
      expect((await otherDesigner.call("GET", "/_designer/flows")).json).toMatchObject({ total: 1, flows: [{ id: "orders" }] });
      expect((await otherDesigner.call("GET", "/_designer/flows/orders/tests")).json).toEqual({ tests: [expect.objectContaining({ id: "orders" })] });
    } finally {
      await otherDesigner.end();
    }
  });
});

describe("closing", () => {
  it("waits for the writes of requests that are being handled", async () => {
    const order: string[] = [];
    const [started, start] = signal();
    const [opened, open] = signal();
    const slow = await startTestDesigner(runtime.baseUrl, {
      writeFile: async (path, bytes) => {
        if (!path.includes("orders")) return writeWorkspaceFile(path, bytes);
        start();
        await opened;
        await writeWorkspaceFile(path, bytes);
        order.push("written");
      },
    });
    const saving = slow.call("PUT", "/_designer/flows/orders", { text: "a: 1\n", expectedHash: null }).catch(() => order.push("disconnected"));
    await started;
    const closing = slow.close().then(() => order.push("closed"));
    await saving;
    open();
    await closing;
    // The file and its version.
    expect(order).toEqual(["disconnected", "written", "written", "closed"]);
    await slow.end();
  });
});

describe("a full disk", () => {
  it("responds with 507 and changes nothing", async () => {
    const full = await startTestDesigner(runtime.baseUrl, { writeFile: () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })) });
    try {
      full.writeFlow("orders", "a: 1\n");
      const reply = await full.call("PUT", "/_designer/flows/orders", { text: "b: 2\n", expectedHash: hashOf("a: 1\n") });
      expect(reply.status).toBe(507);
      expect(reply.json.error).toContain("nothing was changed");
      expect(full.flowText("orders")).toBe("a: 1\n");
    } finally {
      await full.end();
    }
  });
});

describe("deploying", () => {
  it("saves first, sends the token and the hash of the replaced version, and records the runtime's time", async () => {
    const first = webhookFlow("orders");
    const reply = await deploy("orders", first);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ saved: true, record: { outcome: "deployed", deployedHash: hashOf(first), deployedAt: "2026-11-14T16:02:33.120Z" } });
    expect(designer.flowText("orders")).toBe(first);
    expect(runtime.flows.get("orders")?.yaml).toBe(first);
    expect(runtime.requests.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true);
    const second = webhookFlow("orders", "two");
    expect((await deploy("orders", second, { baseHash: hashOf(first) })).status).toBe(200);
    expect(runtime.requests.at(-1)?.headers["if-match"]).toBe(`"${hashOf(first)}"`);
  });

  it("requires a confirmation before it replaces a deployment made elsewhere", async () => {
    const deployedHere = webhookFlow("orders");
    const deployedElsewhere = webhookFlow("orders", "theirs");
    await deploy("orders", deployedHere);
    runtime.flows.set("orders", { yaml: deployedElsewhere, lastModified: "2026-11-15T00:00:00.000Z" });
    const edited = webhookFlow("orders", "next");
    const reply = await deploy("orders", edited, { baseHash: hashOf(deployedHere) });
    expect(reply.status).toBe(412);
    expect(reply.json).toMatchObject({ conflict: "deployment", deployed: { text: deployedElsewhere, hash: hashOf(deployedElsewhere) } });
    expect(runtime.flows.get("orders")?.yaml).toBe(deployedElsewhere);
    expect((await deploy("orders", edited, { baseHash: hashOf(edited), overwrite: hashOf(deployedHere) })).status).toBe(412);
    expect((await deploy("orders", edited, { baseHash: hashOf(edited), overwrite: hashOf(deployedElsewhere) })).status).toBe(200);
    expect(runtime.flows.get("orders")?.yaml).toBe(edited);
  });

  it.each([
    [422, 422],
    [400, 400],
    [401, 502],
    [503, 503],
  ])("a %i response from the runtime becomes %i, the file stays saved, and the failure is recorded", async (runtimeStatus, expectedStatus) => {
    runtime.override = ({ method }, response) =>
      method === "PUT" && (response.writeHead(runtimeStatus, { "content-type": "application/json" }).end('{"error":"line 3: no"}'), true);
    const text = webhookFlow("orders");
    const reply = await deploy("orders", text);
    expect(reply.status).toBe(expectedStatus);
    expect(reply.json).toMatchObject({ saved: true, file: { hash: hashOf(text) } });
    expect(reply.json.error).toContain("line 3: no");
    expect((await designer.call("GET", "/_designer/flows/orders")).json.deploys.local).toMatchObject({
      outcome: "failed",
      hash: hashOf(text),
      deployedHash: null,
    });
    runtime.override = undefined;
    expect((await deploy("orders", text, { baseHash: hashOf(text) })).status).toBe(200);
  });

  it("continues when the version cannot be stored, like Save", async () => {
    // A file with the name of the versions directory, so that no version can be written.
    const otherDesigner = await startTestDesigner(runtime.baseUrl, { stored: { ".sluice/versions": "" } });
    try {
      const text = webhookFlow("orders");
      expect((await otherDesigner.call("PUT", "/_designer/flows/other", { text, expectedHash: null })).json).toMatchObject({
        changed: true,
        versionStored: false,
      });
      const reply = await otherDesigner.call("POST", "/_designer/flows/orders/deploy", { text, baseHash: null, target: null, overwrite: null });
      expect(reply.status).toBe(200);
      expect(reply.json).toMatchObject({ saved: true, record: { outcome: "deployed" } });
      expect(runtime.flows.get("orders")?.yaml).toBe(text);
    } finally {
      await otherDesigner.end();
    }
  });

  it("a runtime that is down results in 502 and the file stays saved", async () => {
    await runtime.close();
    const reply = await deploy("orders", webhookFlow("orders"));
    expect(reply.status).toBe(502);
    expect(reply.json).toMatchObject({ runtime: "down", saved: true });
    expect(designer.flowText("orders")).toBe(webhookFlow("orders"));
    runtime = await startStubRuntime();
  });
});

describe("allowed requests", () => {
  const text = "a: 1\n";

  it.each([
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["plain text", { "content-type": "text/plain" }],
    ["a foreign origin", { origin: "https://evil.example" }],
    ["an opaque origin", { origin: "null" }],
    ["a foreign site", { "sec-fetch-site": "cross-site" }],
    ["another port of this machine", { origin: "http://127.0.0.1:1" }],
  ])("%s is rejected with 403 and nothing is written", async (_name, headers) => {
    const before = designer.files();
    for (const [method, path] of [
      ["PUT", "/_designer/flows/x"],
      ["POST", "/_designer/flows/x/deploy"],
      ["PUT", "/_api/flows/x"],
    ] as const) {
      const reply = await designer.call(method, path, { text, expectedHash: null, baseHash: null }, headers);
      expect(reply.status).toBe(403);
    }
    expect(designer.files()).toEqual(before);
    expect(runtime.requests).toEqual([]);
  });

  it("a foreign host name is rejected", async () => {
    const { request } = await import("node:http");
    const status = await new Promise((resolve) =>
      request(`${designer.url}/`, { headers: { host: "evil.example" } }, (reply) => resolve(reply.statusCode)).end(),
    );
    expect(status).toBe(403);
  });

  it("every response has the security headers", async () => {
    for (const path of ["/", "/flows", "/_designer/flows", "/_api/health", "/nowhere.js"]) {
      const { headers } = await designer.call("GET", path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toContain("unsafe");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("does not listen on other interfaces without a password", async () => {
    await expect(startTestDesigner(runtime.baseUrl, { host: "0.0.0.0" })).rejects.toThrow("DESIGNER_PASSWORD");
  });

  it("with a password nothing but the page is served before signing in", async () => {
    const protectedDesigner = await startTestDesigner(runtime.baseUrl, { password: "pass word" });
    try {
      for (const path of ["/_designer/flows", "/_api/flows", "/_designer/targets"]) expect((await protectedDesigner.call("GET", path)).status).toBe(401);
      expect((await protectedDesigner.call("POST", "/_designer/session", { password: "wrong" })).status).toBe(401);
      const { headers } = await protectedDesigner.call("POST", "/_designer/session", { password: "pass word" });
      const cookie = headers.get("set-cookie") ?? "";
      expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
      const session = { cookie: cookie.split(";")[0] as string };
      expect((await protectedDesigner.call("GET", "/_designer/flows", undefined, session)).status).toBe(200);
      expect((await protectedDesigner.call("DELETE", "/_designer/session", undefined, session)).status).toBe(200);
      expect((await protectedDesigner.call("GET", "/_designer/flows", undefined, session)).status).toBe(401);
    } finally {
      await protectedDesigner.end();
    }
  });

  it("password guessing is rate-limited", async () => {
    const protectedDesigner = await startTestDesigner(runtime.baseUrl, { password: "pass word" });
    try {
      const statuses = [];
      for (let index = 0; index < 12; index++) statuses.push((await protectedDesigner.call("POST", "/_designer/session", { password: `${index}` })).status);
      expect(statuses.slice(-2)).toEqual([429, 429]);
    } finally {
      await protectedDesigner.end();
    }
  });
});

describe("targets", () => {
  it("are listed without their tokens, and accept only variables meant for tokens", async () => {
    const { json } = await designer.call("GET", "/_designer/targets");
    expect(json.targets).toEqual([{ name: "local", baseUrl: runtime.baseUrl, tokenEnv: "SLUICE_TEST_TOKEN", hasToken: true }]);
    expect(JSON.stringify(json)).not.toContain(token);
    const other = { name: "prod", baseUrl: "https://prod.example", tokenEnv: "AWS_SECRET_ACCESS_KEY" };
    expect((await designer.call("PUT", "/_designer/targets", { targets: [other] })).status).toBe(422);
    expect(
      (await designer.call("PUT", "/_designer/targets", { targets: [{ ...other, tokenEnv: "SLUICE_PROD_TOKEN" }], confirmed: [other.baseUrl] })).json.targets,
    ).toMatchObject([{ name: "prod", hasToken: false }]);
  });

  it("streams are forwarded without buffering", async () => {
    let end: (() => void) | undefined;
    runtime.override = ({ url }, response) => {
      if (!url.startsWith("/_api/logs/stream")) return false;
      response.writeHead(200, { "content-type": "text/event-stream" }).write("event: log\ndata: first\n\n");
      end = () => response.end();
      return true;
    };
    const reply = await fetch(`${designer.url}/_api/logs/stream?replay=1`);
    expect(reply.headers.get("content-type")).toBe("text/event-stream");
    const { value } = await (reply.body as ReadableStream<Uint8Array>).getReader().read();
    expect(new TextDecoder().decode(value)).toContain("data: first");
    expect(runtime.requests.at(-1)?.url).toBe("/_api/logs/stream?replay=1");
    end?.();
  });
});

describe("categories", () => {
  it("are a file that can be changed, and an invalid one is rejected", async () => {
    const { json } = await designer.call("GET", "/_designer/categories");
    expect(json.categories.map(({ label }: { label: string }) => label)).toEqual([
      "Application to application",
      "B2B/EDI",
      "Data sync",
      "API/webhook",
      "Notification",
      "Utility",
    ]);
    expect((await designer.call("PUT", "/_designer/categories", { text: "- {id: x, label: X}\n- {id: x}\n", expectedHash: json.hash })).status).toBe(422);
    expect((await designer.call("PUT", "/_designer/categories", { text: "- {id: x, label: X}\n", expectedHash: json.hash })).json.categories).toEqual([
      { id: "x", label: "X" },
    ]);
  });
});

describe("trying a webhook", () => {
  const tryWebhook = (more: Readonly<Record<string, unknown>>) =>
    designer.call("POST", "/_designer/try", { target: null, method: "POST", headers: {}, body: "x", ...more });

  it("calls a route or a path without the token", async () => {
    await tryWebhook({ routeId: "a b", headers: { "X-Test-Session": "ts_1" } });
    await tryWebhook({ path: "/orders/7?full=yes" });
    expect(runtime.requests.map(({ url }) => url)).toEqual(["/api/a%20b", "/orders/7?full=yes"]);
    expect(runtime.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
    expect(runtime.requests[0]?.headers["x-test-session"]).toBe("ts_1");
  });

  it.each(["/_api/flows", "/x/../_api/flows", "//_api/flows", "/%5Fapi/flows", "/_API/flows", "http://elsewhere/x", "orders", "/a b", ""])(
    "rejects the path %j",
    async (path) => {
      expect((await tryWebhook({ path })).status).toBe(400);
      expect(runtime.requests).toEqual([]);
    },
  );
});
