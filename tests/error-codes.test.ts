// Every error reply has its code in the header X-Error-Code; a rejected flow has the code of its first problem. Replies of a route have none.
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer({ env: { SERVICE_MAX_BODY: "64k" } });
  await server.putFlow("shop", replyFlow("orders", "one"));
});
afterAll(() => server.end());

const codeOf = async (reply: Promise<{ readonly status: number; readonly headers: Headers }>): Promise<readonly [number, string | null]> => {
  const { status, headers } = await reply;
  return [status, headers.get("x-error-code")];
};
const put = (yaml: string, id = "t") => codeOf(server.putFlow(id, yaml));
const route = (step: string, from = "webhook"): string => `- route:\n    id: t\n    from:\n      uri: ${from}\n      steps:\n        - ${step}\n`;

describe("the code of an error reply", () => {
  it.each<readonly [string, () => Promise<readonly [number, string | null]>, number, string]>([
    ["an unknown step", () => put(route("lgo: x")), 422, "step-unknown"],
    ["two problems: the first one", () => put(route("setBody: {simple: '${nope('}\n        - lgo: x")), 422, "simple-syntax"],
    ["broken YAML", () => put("- route: {id: ["), 400, "yaml-bad-indent"],
    ["an empty flow", () => put("[]"), 422, "flow-empty"],
    ["a route id of another flow", () => put(replyFlow("orders", "x")), 409, "flow-conflict-route-id"],
    ["a missing connection value", () => codeOf(server.api("PUT", "/connections/c", { type: "sqlite", values: {} })), 422, "option-missing"],
    ["an unknown flow", () => codeOf(server.api("GET", "/flows/none")), 404, "not-found"],
    ["an unknown path", () => codeOf(server.api("GET", "/none")), 404, "not-found"],
    ["another method", () => codeOf(server.api("PATCH", "/flows")), 405, "method-not-allowed"],
    ["no token", () => codeOf(call(server.baseUrl, "GET", "/_api/flows")), 401, "unauthorized"],
    ["a large body", () => codeOf(server.putFlow("t", "x".repeat(70_000))), 413, "body-too-large"],
    ["an unknown content encoding", () => codeOf(server.api("PUT", "/flows/t", "{}", { "content-encoding": "zstd" })), 415, "encoding-unsupported"],
    ["HEAD", () => codeOf(server.api("HEAD", "/flows/none")), 404, "not-found"],
    ["a long path", () => codeOf(server.api("GET", `/flows/${"x".repeat(9_000)}`)), 414, "target-too-long"],
  ])("for %s", async (_what, send, status, code) => {
    expect(await send()).toEqual([status, code]);
  });

  it("of a deployment is that of the first error that validate reports", async () => {
    const yaml = route("lgo: x\n        - setBody: {simple: '${nope('}");
    const { problems } = (await server.api("POST", "/flows/validate", { yaml })).json;
    expect(await put(yaml)).toEqual([422, problems.find((problem: { severity: string }) => problem.severity === "error").code]);
  });

  it("of a request that is not HTTP is sent too", async () => {
    const received = await new Promise<string>((resolve, reject) => {
      const { port } = new URL(server.baseUrl);
      let text = "";
      const socket = connect(Number(port), "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nno colon\r\n\r\n"));
      socket.setEncoding("latin1");
      socket.on("data", (chunk) => (text += chunk));
      socket.on("end", () => resolve(text));
      socket.on("error", reject);
    });
    expect(received).toMatch(/^HTTP\/1\.1 400 [^]*\r\nX-Error-Code: request-invalid\r\n[^]*\{"error":"the request is not valid HTTP\/1\.1"\}$/);
  });
});

describe("the code of a webhook's error reply", () => {
  const post = (path: string, headers?: Readonly<Record<string, string>>) => codeOf(call(server.baseUrl, "POST", `/api/${path}`, "x", headers));

  it("is sent when the runtime rejects the request", async () => {
    await server.putFlow("json", route("setBody: {constant: x}", "platform-http:/json?consumes=application/json"));
    await server.putFlow("stopped", replyFlow("stopped", "x"));
    await server.api("POST", "/routes/stopped/stop");
    await server.putFlow("closed", replyFlow("closed", "x"));
    await server.api("PUT", "/auth/closed", { authenticate: [{ type: "apiKey", keys: [{ id: "k", key: "a-secret-key-1" }] }], default: "deny" });
    expect(await post("none")).toEqual([404, "not-found"]);
    expect(await codeOf(call(server.baseUrl, "GET", "/api/orders"))).toEqual([405, "method-not-allowed"]);
    expect(await post("t", { "content-type": "text/csv" })).toEqual([415, "media-unsupported"]);
    expect(await post("stopped")).toEqual([503, "route-stopped"]);
    expect(await post("closed")).toEqual([401, "unauthorized"]);
    expect(await post("orders", { "x-test-session": "none" })).toEqual([404, "not-found"]);
    expect(await codeOf(call(server.baseUrl, "POST", "/api/orders", "x".repeat(70_000)))).toEqual([413, "body-too-large"]);
  });

  it("is not sent for a failure or an error status of the route", async () => {
    await server.putFlow(
      "failing",
      replyFlow("failing", "x").replace("setBody:\n            constant: x", "throwException: {exceptionType: java.lang.Error, message: no}"),
    );
    await server.putFlow(
      "teapot",
      replyFlow("teapot", "x").replace("setBody:\n            constant: x", "setHeader: {name: CamelHttpResponseCode, constant: 418}"),
    );
    expect(await post("failing")).toEqual([500, null]);
    expect(await post("teapot")).toEqual([418, null]);
    expect(await post("orders", { authorization: `Bearer ${token}` })).toEqual([200, null]);
  });
});
