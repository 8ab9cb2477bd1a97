// Requests that the listener rejects before it looks at their path: every operation declares the status, and the reply is an error of the API.
import { bodyOf, sendRaw, statuses } from "@sluice/testkit";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { DeclaredStatuses } from "./declared-statuses.ts";
import { operationsOf } from "./long/api-requests.ts";
import { startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let declared: DeclaredStatuses;
/** The method and a path below `/_api` of every operation. */
let operations: readonly (readonly [method: string, path: string])[];

beforeAll(async () => {
  server = await startTestServer();
  const document = (await server.api("GET", "/openapi.json")).json;
  declared = new DeclaredStatuses(document);
  operations = operationsOf(document).map(({ method, path }) => [method, path.slice("/_api".length).replaceAll(/\{\w+\}/g, "a")]);
});
afterAll(() => server.end());

const head = (target: string, ...headers: readonly string[]): string => [`${target} HTTP/1.1`, "Host: a", ...headers, "", ""].join("\r\n");

async function expectForEveryOperation({ baseUrl }: StartedServer, status: number, code: string, bytes: (target: string) => string): Promise<void> {
  const port = Number(new URL(baseUrl).port);
  expect(operations.length).toBeGreaterThan(60);
  await Promise.all(
    operations.map(async ([method, path]) => {
      const { text } = await sendRaw(port, bytes(`${method} /_api${path}`));
      const lines = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n").slice(1);
      const headers = new Headers(lines.map((line) => line.split(": ", 2) as [string, string]));
      expect([method, path, statuses(text), headers.get("x-error-code")]).toEqual([method, path, [status], code]);
      expect(declared.problemOf(method, path, { status, headers, text: bodyOf(text) })).toBeUndefined();
    }),
  );
}

const unreadable: readonly (readonly [what: string, status: number, code: string, bytes: (target: string) => string])[] = [
  ["without Host", 400, "request-invalid", (target) => `${target} HTTP/1.1\r\n\r\n`],
  ["with a header that is not HTTP", 400, "request-invalid", (target) => head(target, "a b: c")],
  [
    "with endless chunk extensions",
    413,
    "body-too-large",
    (target) => `${head(target, "Transfer-Encoding: chunked")}1;a=${"x".repeat(17_000)}\r\nx\r\n0\r\n\r\n`,
  ],
  ["with a long target", 414, "target-too-long", (target) => head(`${target}?x=${"x".repeat(8_192)}`)],
  ["with an unknown expectation", 417, "expectation-unsupported", (target) => head(target, "Expect: gold")],
  ["with a long header", 431, "head-too-large", (target) => head(target, `X: ${"x".repeat(17_408)}`)],
  ["with many headers", 431, "head-too-large", (target) => head(target, ...Array.from({ length: 201 }, () => "a: b"))],
  ["of another version of HTTP", 505, "http-version-unsupported", (target) => `${target} HTTP/2.0\r\nHost: a\r\n\r\n`],
];

it.each(unreadable)("a request %s gets %i", async (_what, status, code, bytes) => {
  await expectForEveryOperation(server, status, code, bytes);
});

it.each(unreadable)("a HEAD request %s gets %i without a body", async (_what, status, _code, bytes) => {
  const port = Number(new URL(server.baseUrl).port);
  const { text } = await sendRaw(port, bytes("HEAD /_api/flows"));
  expect([statuses(text), bodyOf(text)]).toEqual([[status], ""]);
});

it("a request whose head does not end in time gets 408", async () => {
  const hasty = await startTestServer({ env: { SERVICE_HEADERS_TIMEOUT_MS: "1s" } });
  onTestFinished(() => hasty.end());
  await expectForEveryOperation(hasty, 408, "request-timeout", (target) => `${target} HTTP/1.1\r\nHost: a\r\n`);
  const { text } = await sendRaw(Number(new URL(hasty.baseUrl).port), "HEAD /_api/flows HTTP/1.1\r\nHost: a\r\n");
  expect([statuses(text), bodyOf(text)]).toEqual([[408], ""]);
});
