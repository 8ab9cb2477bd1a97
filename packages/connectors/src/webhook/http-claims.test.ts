import { CompileError } from "@sluice/engine/spi";
import { connectorUnderTest, FakeHost, FakeRouteInput, routeIdentity } from "@sluice/testkit";
import { expect, test } from "vitest";
import { platformHttpConnector } from "../platform-http/platform-http.ts";
import { nodeHttpTools } from "./node-http-tools.ts";
import { webhookConnector } from "./webhook.ts";

const platformHttp = platformHttpConnector(nodeHttpTools);
const webhook = webhookConnector(nodeHttpTools);

const claims = (uri: string, id = "orders"): readonly string[] =>
  connectorUnderTest(uri.startsWith("webhook") ? webhook : platformHttp, new FakeHost()).source(uri.replace(/^webhook\?/, "webhook:?"), routeIdentity(id))
    .claims;

test("a webhook claims POST on its address", () => {
  expect(claims("webhook")).toEqual(["POST /api/orders"]);
  expect(claims("webhook?httpMethodRestrict=get, post")).toEqual(["GET /api/orders", "POST /api/orders"]);
});

test("platform-http claims its path and its address, once when they are equal", () => {
  expect(claims("platform-http:/in?httpMethodRestrict=POST")).toEqual(["POST /in", "POST /api/orders"]);
  expect(claims("platform-http:/api/orders?httpMethodRestrict=POST")).toEqual(["POST /api/orders"]);
  expect(claims("platform-http:/in")).toContain("DELETE /in");
});

test.each([
  ["platform-http:/a/{x}", "platform-http:/a/{y}"],
  ["platform-http:/a/{x}.json", "platform-http:/a/{y}.json"],
  ["platform-http:/a", "platform-http:/a/"],
  ["platform-http:/A/b", "platform-http:/a/B"],
  ["platform-http:/a%62", "platform-http:/ab"],
  ["platform-http:a", "platform-http:/a"],
  ["platform-http:/a", "platform-http:/a?httpMethodRestrict=PUT"],
  ["platform-http:/api/orders?httpMethodRestrict=POST", "webhook"],
])("%s and %s conflict", (uri, otherUri) => {
  expect(claims(uri, "orders").filter((claim) => claims(otherUri, uri.includes("orders") ? "orders" : "other").includes(claim))).not.toEqual([]);
});

test.each([
  ["platform-http:/a/{x}", "platform-http:/a/b"],
  ["platform-http:/a?httpMethodRestrict=GET", "platform-http:/a?httpMethodRestrict=POST"],
  ["platform-http:/a/*", "platform-http:/a/b"],
])("%s and %s do not conflict", (uri, otherUri) => {
  expect(claims(uri, "first").filter((claim) => claims(otherUri, "second").includes(claim))).toEqual([]);
});

test.each(["/_api", "/_api/", "/_api/flows", "/_API/x", "/%5Fapi/x", "/_%61pi/x", "/api/../_api/x", "/./_api/x", "/x/%2e%2e/_api", "/{p}/flows", "/*"])(
  "%s is reserved",
  (path) => {
    const build = (): unknown => claims(`platform-http:${path}`, "x");
    expect(build).toThrow(CompileError);
    const advice = /^\/[{*]/.test(path) ? "; name a first segment" : "";
    expect(build).toThrow(new RegExp(`^route 'x' claims reserved path '.*': paths under /_api belong to the management API${advice}$`));
  },
);

test.each(["/_apix", "/my_api", "/api/_api", "/api/x/_api", "/"])("%s is not reserved", (path) => {
  expect(claims(`platform-http:${path}`)).not.toEqual([]);
});

test("a route id cannot reach a reserved path, and special characters are URL-encoded", () => {
  expect(() => claims("webhook", "../_api/flows")).toThrow(/cannot be used as a path/);
  expect(claims("webhook", "größe 1")).toEqual(["POST /api/größe 1"]);
  expect(claims("webhook", "{x}")).toEqual(["POST /api/{x}"]);
});

test.each(["platform-http:/a/{x}{y}", "platform-http:/a/*/b", "platform-http:/{", "webhook?httpMethodRestrict=GET,%20,", "webhook?httpMethodRestrict=CONNECT"])(
  "%s is rejected at deploy time",
  (uri) => {
    expect(() => claims(uri)).toThrow(CompileError);
  },
);

test("building mounts nothing; a restart leaves one mount per path", () => {
  const host = new FakeHost();
  const source = connectorUnderTest(platformHttp, host).source("platform-http:/in", routeIdentity("orders"));
  expect(host.http.mounts).toEqual([]);
  void source.start(new FakeRouteInput());
  void source.start(new FakeRouteInput());
  expect(host.http.mounts.map((mount) => mount.path)).toEqual(["/in", "/api/orders"]);
  void source.stop();
  expect(host.http.mounts).toEqual([]);
});

test("a route id that cannot be URL-encoded is rejected at deploy time", () => {
  expect(() => claims("webhook", "a\ud800b")).toThrow(CompileError);
});
