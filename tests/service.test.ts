// The guarantees of the service to its users, one per test.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, directFlow, eventually, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.end());

const post = (path: string, body = "{}", headers: Readonly<Record<string, string>> = {}) => call(server.baseUrl, "POST", path, body, headers);
const runsOf = async (routeId: string): Promise<{ status: string }[]> => (await server.api("GET", `/runs?routeId=${routeId}`)).json.runs;

describe("flows run", () => {
  it("the routes of an installed flow run when their trigger fires; a webhook is served at /api/<route-id>", async () => {
    expect((await server.putFlow("r1", replyFlow("r1-hook", "ran"))).status).toBe(201);
    expect((await post("/api/r1-hook")).text).toBe("ran");
  });

  it("the steps of a route run in the order of the list", async () => {
    const yaml = `- route:
    id: r5
    from:
      uri: webhook
      steps:
        - setBody: {constant: a}
        - setBody: {simple: "\${body}b"}
        - setBody: {simple: "\${body}c"}
`;
    await server.putFlow("r5", yaml);
    expect((await post("/api/r5")).text).toBe("abc");
  });

  it("a timer triggers a route without any call, and stops when the flow is removed", async () => {
    await server.putFlow("r6", `- route: {id: r6, from: {uri: "timer:tick?delay=0&period=20", steps: [{setBody: {constant: x}}]}}\n`);
    await eventually(async () => (await runsOf("r6")).length >= 3);
    await server.api("DELETE", "/flows/r6");
    const count = (await runsOf("r6")).length;
    await server.putFlow("r7", `- route: {id: r7, from: {uri: "timer:tock?delay=0&period=20", steps: [{setBody: {constant: x}}]}}\n`);
    await eventually(async () => (await runsOf("r7")).length > 5);
    await server.api("DELETE", "/flows/r7");
    expect((await runsOf("r6")).length).toBe(count);
  });

  it("a direct endpoint triggers a route from another route", async () => {
    await server.putFlow(
      "r8",
      `- route: {id: r8-a, from: {uri: webhook, steps: [{to: "direct:r8-b"}]}}
- route: {id: r8-b, from: {uri: "direct:r8-b", steps: [{setBody: {simple: "b got \${body}"}}]}}
`,
    );
    expect((await post("/api/r8-a", "hello")).text).toBe("b got hello");
    const [child] = await runsOf("r8-b");
    expect(child).toMatchObject({ status: "completed", parentRunId: (await runsOf("r8-a"))[0]?.["id" as never] });
  });

  it("a log step writes the body to the process log", async () => {
    await server.putFlow("r9", `- route: {id: r9, from: {uri: webhook, steps: [{log: "got \${body}"}]}}\n`);
    await post("/api/r9", '{"marker":"m-471"}');
    await eventually(() => server.logText().includes('got {\\"marker\\":\\"m-471\\"}'));
    const record = JSON.parse(
      server
        .logText()
        .split("\n")
        .find((line) => line.includes("m-471")) ?? "{}",
    );
    expect(record).toMatchObject({ level: "INFO", routeId: "r9", stepId: "log1" });
  });
});

describe("webhooks", () => {
  it("a new flow responds with the two bytes `ok` as plain text", async () => {
    await server.putFlow("fresh", `- route: {id: fresh, from: {uri: webhook, steps: [{log: "\${body}"}]}}\n`);
    const reply = await post("/api/fresh", '{"id":1}', { "content-type": "application/json" });
    expect([reply.status, reply.text, reply.headers.get("content-type"), reply.headers.get("content-length")]).toEqual([
      200,
      "ok",
      "text/plain; charset=utf-8",
      "2",
    ]);
  });

  it("a body of any content type is accepted and reaches the flow", async () => {
    await server.putFlow("any", `- route: {id: any, from: {uri: "platform-http:/any", steps: [{log: "x"}]}}\n`);
    for (const [type, body] of [
      ["application/json", '{"a":1}'],
      ["application/xml", "<a/>"],
      ["text/plain", "plain"],
      ["application/x-unknown", "???"],
      ["", "no type"],
    ] as const) {
      const reply = await post("/any", body, type === "" ? {} : { "content-type": type });
      expect([type, reply.status, reply.text]).toEqual([type, 200, body]);
    }
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const echoed = await fetch(`${server.baseUrl}/any`, { method: "POST", body: bytes, headers: { "content-type": "application/octet-stream" } });
    expect(new Uint8Array(await echoed.arrayBuffer())).toEqual(bytes);
    expect((await post("/any", "")).status).toBe(204);
  });

  it("no installed flow ever serves a path under /_api", async () => {
    await server.putFlow("catch", `- route: {id: catch, from: {uri: "platform-http:/catch?matchOnUriPrefix=true", steps: [{setBody: {constant: mine}}]}}\n`);
    for (const path of ["/_api/anything", "/_api", "/_api/flows", "/%5fapi/flows", "/catch/../_api/flows", "/_API/flows"]) {
      const reply = await post(path);
      expect([path, reply.text === "mine", reply.status]).not.toContain(200);
    }
  });
});

describe("management", () => {
  it("the API is served under /_api without a version segment", async () => {
    expect((await call(server.baseUrl, "GET", "/_api/health")).status).toBe(200);
    expect((await server.api("GET", "/v1/flows")).status).toBe(404);
  });

  it("a flow is listed under the id of its path", async () => {
    await server.api("PUT", "/flows/listed.Some_Id-1", { yaml: replyFlow("listed", "x") });
    const { flows, total } = (await server.api("GET", "/flows")).json;
    expect(flows.map(({ id }: { id: string }) => id)).toContain("listed.Some_Id-1");
    expect(total).toBe(flows.length);
    expect(readFileSync(join(server.routesDir, "listed.Some_Id-1.yaml"), "utf8")).toBe(replyFlow("listed", "x"));
  });

  it("the health report contains the version of the engine package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../packages/engine/package.json", import.meta.url), "utf8")) as { version: string };
    expect((await call(server.baseUrl, "GET", "/_api/health")).json.engineVersion).toBe(version);
  });

  it("the token in SERVICE_DEPLOY_TOKEN is required", async () => {
    expect((await call(server.baseUrl, "GET", "/_api/flows", undefined, { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await call(server.baseUrl, "GET", "/_api/flows", undefined, { authorization: `Bearer ${token}x` })).status).toBe(401);
  });
});

describe("test sessions", () => {
  const partner = `to: "http://127.0.0.1:9/never"`;

  it("mocks replace steps, and closing returns their calls", async () => {
    await server.putFlow("mocked", directFlow("mocked", `to: {id: one, uri: "http://127.0.0.1:9/one"}`, `to: {id: two, uri: "http://127.0.0.1:9/two"}`));
    const opened = await server.api("POST", "/test/session", {
      scope: "session",
      mocks: ["one", "two"].map((stepId) => ({ id: stepId, match: { stepId, flowId: "mocked" }, respond: { body: stepId } })),
    });
    expect(opened.status).toBe(201);
    const { sessionId } = opened.json;
    const invoked = await server.api("POST", "/test/invoke", { sessionId, trigger: "direct:mocked", body: "in" });
    expect(invoked.json).toMatchObject({ status: "completed", body: "two" });
    const closed = await server.api("DELETE", `/test/session/${sessionId}`);
    expect(closed.status).toBe(200);
    expect(Array.isArray(closed.json.recordedCalls)).toBe(true);
    expect(closed.json.recordedCalls.map(({ mockId, request }: any) => [mockId, request.body])).toEqual([
      ["one", "in"],
      ["two", "one"],
    ]);
  });

  it("without a valid token no session opens and no mock is activated", async () => {
    await server.putFlow("unauthorized", directFlow("unauthorized", partner));
    const refused = await call(server.baseUrl, "POST", "/_api/test/session", JSON.stringify({ mocks: [{ match: { flowId: "unauthorized" }, respond: {} }] }));
    expect([refused.status, refused.json]).toEqual([401, { error: "unauthorized" }]);
    const health = await server.api("GET", "/health");
    expect(health.json.openSessions ?? 0).toBe(0);
  });
});
