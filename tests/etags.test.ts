// Every GET that declares an ETag replies with 304 to a caller that has this version; the document of the API says which ones do.
import { afterAll, beforeAll, expect, it } from "vitest";
import { kameletFiles } from "./kamelet-files.ts";
import { replyFlow, startTestServer, type StartedServer } from "./started-server.ts";

interface Get {
  readonly path: string;
  readonly parameters: readonly { readonly $ref?: string; readonly in?: string; readonly required?: boolean }[];
  readonly responses: Readonly<Record<string, any>>;
}

let server: StartedServer;
let document: any;
let gets: readonly Get[];

/** For every tagged GET with path parameters: an item to read. */
const items: Readonly<Record<string, string>> = {
  "/_api/flows/{id}": "/flows/a",
  "/_api/flows/{id}/versions/{revision}": "/flows/a/versions/1",
  "/_api/auth/{flowId}": "/auth/a",
  "/_api/connections/{id}": "/connections/a",
  "/_api/kamelets/{name}": "/kamelets/greeter-action",
  "/_api/value-mappings/{id}": "/value-mappings/a",
  "/_api/message-mappings/{id}": "/message-mappings/a",
};

beforeAll(async () => {
  server = await startTestServer();
  const seeds: readonly (readonly [path: string, body: unknown])[] = [
    ["/flows/a", { yaml: replyFlow("a", "one") }],
    ["/auth/a", { default: "deny" }],
    ["/connections/a", { type: "sqlite", values: { file: ":memory:" } }],
    ["/kamelets/greeter-action", { yaml: kameletFiles["greeter-action.kamelet.yaml"] }],
    ["/value-mappings/a", { entries: { a: "b" } }],
    ["/message-mappings/a", { source: { format: "json" }, target: { format: "json" }, map: [{ to: "a", value: 1 }] }],
  ];
  for (const [path, body] of seeds) expect([path, (await server.api("PUT", path, body)).status]).toEqual([path, 201]);
  document = (await server.api("GET", "/openapi.json")).json;
  gets = Object.entries<any>(document.paths)
    .filter(([path, methods]) => path.startsWith("/_api/") && methods.get !== undefined)
    .map(([path, { get }]) => ({ path, parameters: get.parameters, responses: get.responses }));
});
afterAll(() => server.end());

const isTagged = ({ responses }: Get): boolean => responses["200"].headers?.ETag !== undefined;
const pathOf = ({ path }: Get): string => items[path] ?? path.slice("/_api".length);

it("every tagged GET declares If-None-Match and 304 with the ETag, and no other GET does", () => {
  const revalidated = gets.filter(({ parameters }) => parameters.some(({ $ref }) => $ref === "#/components/parameters/IfNoneMatchETag"));
  const with304 = gets.filter(({ responses }) => responses["304"] !== undefined);
  expect(gets.filter(isTagged).map(({ path }) => path)).toEqual(expect.arrayContaining([...Object.keys(items), "/_api/catalog", "/_api/schema"]));
  expect(revalidated).toEqual(gets.filter(isTagged));
  expect(with304).toEqual(gets.filter(isTagged));
  for (const { responses } of with304) {
    const { $ref } = responses["304"];
    const { headers, content } = document.components.responses[$ref.split("/").at(-1)];
    expect([Object.keys(headers), content]).toEqual([["ETag"], undefined]);
  }
});

it("GETs without a declared ETag send none", async () => {
  const untagged = gets.filter((get) => !isTagged(get) && !get.path.includes("{") && get.responses["200"].content?.["text/event-stream"] === undefined);
  expect(untagged.length).toBeGreaterThan(8);
  for (const get of untagged) {
    const { status, headers } = await server.api("GET", pathOf(get), undefined, { "if-none-match": "*" });
    expect([get.path, status, headers.get("etag")]).toEqual([get.path, 200, null]);
  }
});

it("each replies with 304 if an ETag in If-None-Match is the current one, compared weakly", async () => {
  for (const get of gets.filter(isTagged)) {
    const path = pathOf(get);
    const full = await server.api("GET", path);
    const etag = full.headers.get("etag") as string;
    expect([path, full.status, etag]).toEqual([path, 200, expect.stringMatching(/^"[0-9a-f]+"$/)]);
    for (const form of [etag, `W/${etag}`, `"x, y", W/"z",${etag}`, ` , ${etag} ,`, "*"])
      for (const method of ["GET", "HEAD"]) {
        const { status, headers, text } = await server.api(method, path, undefined, { "if-none-match": form });
        expect([method, path, form, status, headers.get("etag"), text]).toEqual([method, path, form, 304, etag, ""]);
        expect([path, headers.get("content-type"), headers.get("cache-control")]).toEqual([path, null, "no-store"]);
      }
    for (const form of ['"other"', 'W/"other"', `"a,${etag.slice(1, -1)},b"`, '""']) {
      const { status, headers, text } = await server.api("GET", path, undefined, { "if-none-match": form });
      expect([path, form, status, headers.get("etag"), text.length]).toEqual([path, form, 200, etag, full.text.length]);
    }
  }
});

it("a changed item is sent again, in every media type", async () => {
  const before = (await server.api("GET", "/flows/a")).headers.get("etag") as string;
  await server.api("PUT", "/flows/a", { yaml: replyFlow("a", "two") });
  const after = await server.api("GET", "/flows/a", undefined, { "if-none-match": before, accept: "application/yaml" });
  expect([after.status, after.text]).toEqual([200, replyFlow("a", "two")]);
});

it("a missing item is 404, whatever If-None-Match has", async () => {
  expect((await server.api("GET", "/flows/none", undefined, { "if-none-match": "*" })).status).toBe(404);
});
