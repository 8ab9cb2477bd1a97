// `If-None-Match: *` creates an item only if it does not exist, and `If-Match` replaces only a known version: for every kind of document with PUT.
import { afterAll, beforeAll, expect, it } from "vitest";
import { kameletFiles } from "./kamelet-files.ts";
import { replyFlow, startTestServer, type ApiReply, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());

/** For every PUT of the API: a path and two bodies. */
const documents: Readonly<Record<string, readonly [path: string, first: unknown, second: unknown]>> = {
  "/_api/flows/{id}": ["/flows/a", { yaml: replyFlow("a", "one") }, { yaml: replyFlow("a", "two") }],
  "/_api/auth/{flowId}": ["/auth/a", { default: "deny" }, { default: "allow" }],
  "/_api/connections/{id}": [
    "/connections/a",
    { type: "sqlite", values: { file: ":memory:" } },
    { type: "sqlite", title: "Two", values: { file: ":memory:" } },
  ],
  "/_api/kamelets/{name}": [
    "/kamelets/greeter-action",
    { yaml: kameletFiles["greeter-action.kamelet.yaml"] },
    { yaml: `${kameletFiles["greeter-action.kamelet.yaml"]}\n# two` },
  ],
  "/_api/value-mappings/{id}": ["/value-mappings/a", { entries: { a: "b" } }, { entries: { a: "c" } }],
  "/_api/message-mappings/{id}": [
    "/message-mappings/a",
    { source: { format: "json" }, target: { format: "json" }, map: [{ to: "a", value: 1 }] },
    { source: { format: "json" }, target: { format: "json" }, map: [{ to: "a", value: 2 }] },
  ],
};

const outcome = ({ status, headers, json }: ApiReply): readonly unknown[] => [status, headers.get("x-error-code"), json.error];

it("covers every PUT of the API, and each documents its preconditions", async () => {
  const { paths } = (await server.api("GET", "/openapi.json")).json;
  const puts = Object.keys(paths).filter((path) => paths[path].put !== undefined);
  expect(Object.keys(documents).toSorted()).toEqual(puts.toSorted());
  for (const path of puts) {
    const parameters = paths[path].put.parameters.map(({ $ref }: { $ref?: string }) => $ref?.split("/").at(-1));
    expect([path, ...parameters]).toEqual(expect.arrayContaining([path, "IfMatch", "IfNoneMatch"]));
  }
});

it.each(Object.values(documents))("%s", async (path, first, second) => {
  const create = { "if-none-match": "*" };
  expect(outcome(await server.api("PUT", path, first, { "if-match": "*" }))).toEqual([
    412,
    "changed",
    expect.stringMatching(/does not exist, but 'If-Match: \*' requires it: remove the header$/),
  ]);
  const created = await server.api("PUT", path, first, create);
  expect(created.status).toBe(201);
  const etag = created.headers.get("etag") as string;
  for (const body of [first, second])
    expect(outcome(await server.api("PUT", path, body, create))).toEqual([
      412,
      "already-exists",
      expect.stringMatching(/already exists: remove 'If-None-Match: \*' to replace it$/),
    ]);
  expect(outcome(await server.api("PUT", path, second, { "if-none-match": `"0", ${etag}` }))).toEqual([
    412,
    "already-exists",
    expect.stringMatching(/has the hash in If-None-Match$/),
  ]);
  expect((await server.api("GET", path)).headers.get("etag")).toBe(etag);
  expect((await server.api("PUT", path, second, { "if-match": etag, "if-none-match": '"0"' })).status).toBe(200);
  expect(outcome(await server.api("PUT", path, first, { "if-match": etag }))).toEqual([412, "changed", expect.stringMatching(/changed since hash /)]);
  for (const weak of [`W/${etag}`, `W/"0", W/${(await server.api("GET", path)).headers.get("etag")}`])
    expect(outcome(await server.api("PUT", path, first, { "if-match": weak }))).toEqual([
      412,
      "changed",
      expect.stringMatching(/: remove 'W\/' from If-Match$/),
    ]);
  for (const name of ["if-match", "if-none-match"])
    expect(outcome(await server.api("PUT", path, first, { [name]: etag.slice(1, -1) }))).toEqual([
      400,
      "request-invalid",
      expect.stringMatching(/^If-(None-)?Match must be '\*' or hashes in double quotes, such as "\w+"$/),
    ]);
  expect(outcome(await server.api("DELETE", path, undefined, create))).toEqual([
    412,
    "already-exists",
    expect.stringMatching(/already exists: remove 'If-None-Match: \*' to delete it$/),
  ]);
  expect((await server.api("DELETE", path)).status).toBe(200);
  expect((await server.api("PUT", path, first, create)).status).toBe(201);
});

it("a rollback has the same preconditions", async () => {
  const rollBack = (headers: Readonly<Record<string, string>>) => server.api("POST", "/flows/a/rollback", { revision: 1 }, headers);
  const etag = (await server.api("GET", "/flows/a")).headers.get("etag") as string;
  expect(outcome(await rollBack({ "if-none-match": "*" }))).toEqual([
    412,
    "already-exists",
    "flow 'a' already exists: remove 'If-None-Match: *' to roll it back",
  ]);
  expect(outcome(await rollBack({ "if-match": `W/${etag}` }))).toEqual([
    412,
    "changed",
    "flow 'a' cannot be matched by a weak ETag: remove 'W/' from If-Match",
  ]);
  expect((await rollBack({ "if-match": `"0", ${etag}` })).status).toBe(200);
});

it("of several requests that create the same flow, one succeeds", async () => {
  const replies = await Promise.all(
    ["1", "2", "3", "4"].map((text) => server.api("PUT", "/flows/once", { yaml: replyFlow("once", text) }, { "if-none-match": "*" })),
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 412, 412, 412]);
});
