// The OpenAPI document of a started server, checked against the rules of OpenAPI 3.1 that tools trip over.
import { afterAll, beforeAll, expect, it } from "vitest";
import { answering, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let document: any;

beforeAll(async () => {
  server = await startTestServer();
  await server.putFlow("shop", answering("order-intake", "x"));
  document = (await server.api("GET", "/openapi.json")).json;
});
afterAll(() => server.end());

const operations = (): [string, string, any][] =>
  Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]): [string, string, any] => [path, method, operation]),
  );

it("D68: has the required top level and covers every endpoint and webhook", () => {
  expect(document).toMatchObject({ openapi: "3.1.0", info: { title: expect.any(String), version: "0.1.0" } });
  const paths = Object.keys(document.paths);
  for (const path of [
    "/_api/health",
    "/_api/flows",
    "/_api/flows/{id}",
    "/_api/runs",
    "/_api/trace/stream",
    "/_api/logs/stream",
    "/_api/test/session",
    "/_api/test/session/{id}",
    "/_api/test/invoke",
    "/api/order-intake",
  ])
    expect(paths).toContain(path);
});

it("every operation has a unique id, its path parameters, and described responses", () => {
  const ids = operations().map(([, , operation]) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [path, method, operation] of operations()) {
    expect(["get", "put", "post", "delete", "head", "patch"]).toContain(method);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect((operation.parameters ?? []).filter((parameter: any) => parameter.in === "path").map((parameter: any) => parameter.name)).toEqual(inPath);
    for (const parameter of operation.parameters ?? [])
      expect(parameter).toMatchObject({ name: expect.any(String), in: expect.stringMatching(/^(path|query)$/), schema: { type: expect.any(String) } });
    for (const [status, response] of Object.entries<any>(operation.responses)) {
      expect(status).toMatch(/^([1-5]\d\d|default)$/);
      if (response.$ref === undefined) expect(response.description).toEqual(expect.any(String));
    }
  }
});

it("every schema is an object of known keywords and every reference resolves", () => {
  const known = new Set([
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "description",
    "title",
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "format",
    "propertyNames",
    "$ref",
    "$defs",
    "x-secret",
  ]);
  const visit = (schema: any, place: string): void => {
    expect([place, typeof schema === "object" || typeof schema === "boolean"]).toEqual([place, true]);
    for (const keyword of Object.keys(schema)) expect([place, known.has(keyword) ? keyword : `unknown keyword ${keyword}`]).toEqual([place, keyword]);
    for (const [name, inner] of Object.entries(schema.properties ?? {})) visit(inner, `${place}.${name}`);
    for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) visit(inner, place);
    if (schema.items !== undefined) visit(schema.items, `${place}[]`);
    if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties, `${place}.*`);
  };
  for (const [path, method, operation] of operations()) {
    const contents = [operation.requestBody, ...Object.values<any>(operation.responses)].flatMap((holder) => Object.values<any>(holder?.content ?? {}));
    for (const content of contents) visit(content.schema, `${method} ${path}`);
  }
  for (const [, reference] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g))
    expect((reference as string).split("/").reduce<any>((place, key) => place?.[key], document)).toBeDefined();
});

it("only health and open webhooks need no token", () => {
  const open = operations()
    .filter(([, , operation]) => operation.security?.length === 0)
    .map(([path]) => path);
  expect(open.toSorted()).toEqual(["/_api/health", "/api/order-intake"]);
  expect(document.security).toEqual([{ deployToken: [] }]);
});
