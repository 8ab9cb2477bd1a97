// The OpenAPI document of a running server, checked against the rules of OpenAPI 3.1 that tools rely on.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schemaErrors } from "./schema-errors.ts";
import { replyFlow, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let document: any;

beforeAll(async () => {
  server = await startTestServer();
  await server.putFlow("shop", replyFlow("order-intake", "x"));
  document = (await server.api("GET", "/openapi.json")).json;
});
afterAll(() => server.end());

const operations = (): [string, string, any][] =>
  Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]): [string, string, any] => [path, method, operation]),
  );

it("has the required top-level members and covers every endpoint and webhook", () => {
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
    for (const parameter of (operation.parameters ?? []).filter((candidate: any) => candidate.$ref === undefined))
      expect(parameter).toMatchObject({ name: expect.any(String), in: expect.stringMatching(/^(path|query)$/), schema: { type: expect.any(String) } });
    for (const [status, response] of Object.entries<any>(operation.responses)) {
      expect(status).toMatch(/^([1-5]\d\d|default)$/);
      if (response.$ref === undefined) expect(response.description).toEqual(expect.any(String));
    }
  }
});

it("every schema is an object of known keywords and every reference resolves", () => {
  const knownKeywords = new Set([
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
    "minProperties",
    "maxItems",
    "pattern",
    "format",
    "propertyNames",
    "$ref",
    "$defs",
    "x-secret",
  ]);
  const visit = (schema: any, path: string): void => {
    expect([path, typeof schema === "object" || typeof schema === "boolean"]).toEqual([path, true]);
    for (const keyword of Object.keys(schema)) expect([path, knownKeywords.has(keyword) ? keyword : `unknown keyword ${keyword}`]).toEqual([path, keyword]);
    for (const [name, inner] of Object.entries(schema.properties ?? {})) visit(inner, `${path}.${name}`);
    for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) visit(inner, path);
    if (schema.items !== undefined) visit(schema.items, `${path}[]`);
    if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties, `${path}.*`);
  };
  for (const [path, method, operation] of operations()) {
    const contents = [operation.requestBody, ...Object.values<any>(operation.responses)].flatMap((holder) => Object.values<any>(holder?.content ?? {}));
    for (const content of contents) visit(content.schema, `${method} ${path}`);
  }
  for (const [, reference] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g))
    expect((reference as string).split("/").reduce<any>((path, key) => path?.[key], document)).toBeDefined();
});

it("examples match their schemas", () => {
  let count = 0;
  for (const [path, method, operation] of operations())
    for (const holder of [operation.requestBody, ...Object.values<any>(operation.responses)])
      for (const { schema, example } of Object.values<any>(holder?.content ?? {})) {
        if (example === undefined) continue;
        count++;
        expect([method, path, schemaErrors(example, schema, { document, isStrict: Object.keys(schema.properties ?? {}).length > 0 })]).toEqual([
          method,
          path,
          [],
        ]);
      }
  expect(count).toBeGreaterThan(25);
});

it("tags are declared and used, and no component is unused", () => {
  const used = new Set(operations().flatMap(([, , { tags }]) => tags));
  expect(new Set(document.tags.map(({ name }: { name: string }) => name))).toEqual(used);
  const text = JSON.stringify(document);
  const unused = Object.entries<any>(document.components)
    .filter(([kind]) => kind !== "securitySchemes")
    .flatMap(([kind, components]) => Object.keys(components).map((name) => `#/components/${kind}/${name}`))
    .filter((reference) => !text.includes(`"${reference}"`));
  expect(unused).toEqual([]);
});

it("no two operations can be called with the same request, unless one has a fixed segment where the other has a parameter", () => {
  const parts = (path: string): readonly string[] => path.split("/");
  const isParameter = (part: string | undefined): boolean => part?.startsWith("{") === true;
  const overlap = (a: string, b: string): boolean =>
    parts(a).length === parts(b).length && parts(a).every((part, index) => part === parts(b)[index] || isParameter(part) || isParameter(parts(b)[index]));
  const parameters = (path: string): number => parts(path).filter(isParameter).length;
  const ambiguous = operations().flatMap(([path, method]) =>
    operations()
      .filter(([other, otherMethod]) => other > path && method === otherMethod && overlap(path, other) && parameters(path) === parameters(other))
      .map(([other]) => `${method} ${path} ${other}`),
  );
  expect(ambiguous).toEqual([]);
});

describe("webhooks", () => {
  let paths: any;
  let components: any;
  const orderSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
  beforeAll(async () => {
    await server.api("PUT", "/message-mappings/in", {
      source: { format: "json", schema: orderSchema },
      target: { format: "json", schema: { type: "object", properties: { no: { type: "string" } } } },
      map: [{ to: "no", from: "id" }],
    });
    const step = (uri: string, extraSteps = ""): string => `      uri: "${uri}"\n      steps:\n${extraSteps}        - setBody: {constant: ok}\n`;
    await server.putFlow(
      "described",
      `- route:\n    id: mapped\n    description: Takes an order\n    from:\n      uri: webhook\n      steps:\n        - to: message-mapping:in\n`,
    );
    await server.putFlow("own-path", `- route:\n    id: by-path\n    from:\n${step("platform-http:/orders/{id}/lines?httpMethodRestrict=GET,PUT")}`);
    await server.putFlow(
      "typed",
      `- route:\n    id: typed\n    inputType: {urn: "xml:invoice"}\n    outputType: {urn: "application/json"}\n    from:\n${step("webhook")}`,
    );
    await server.putFlow("later", `- route:\n    id: later\n    from:\n${step("webhook?async=true")}`);
    await server.putFlow("kept", `- route:\n    id: kept\n    from:\n${step("webhook?durable=true")}`);
    await server.putFlow("guarded", `- route:\n    id: guarded\n    from:\n${step("webhook?httpMethodRestrict=GET,POST")}`);
    const policy = {
      authenticate: [
        { type: "apiKey", keys: [{ id: "shop", key: "s3cr3t-key", roles: ["write"] }] },
        { type: "basic", users: [{ username: "erp", password: "pass-word-1", roles: ["read"] }] },
        { type: "jwt", issuer: "https://idp.example.com", audience: "sluice", jwksUri: "https://idp.example.com/jwks" },
        { type: "hmac", preset: "stripe", secrets: ["whsec-1234567890"], roles: ["hooks"] },
      ],
      rules: [
        { methods: ["GET"], public: true },
        { methods: ["POST"], roles: ["write", "hooks"] },
      ],
    };
    expect((await server.api("PUT", "/auth/guarded", policy)).json).toMatchObject({ flowId: "guarded", created: true });
    ({ paths, components } = (await server.api("GET", "/openapi.json")).json);
  });

  it("mappings at the beginning and end of a route provide the schemas", () => {
    const { post } = paths["/api/mapped"];
    expect(post.summary).toBe("Takes an order");
    expect(post.requestBody).toEqual({ required: true, content: { "application/json": { schema: orderSchema } } });
    expect(post.responses["200"].content["application/json"].schema.properties).toEqual({ no: { type: "string" } });
  });

  it("methods and paths are those that are served, at every address", () => {
    expect(Object.keys(paths["/orders/{id}/lines"]).toSorted()).toEqual(["get", "put"]);
    expect(Object.keys(paths["/api/by-path"]).toSorted()).toEqual(["get", "put"]);
    expect(paths["/orders/{id}/lines"].get.parameters).toEqual([{ name: "id", in: "path", required: true, schema: { type: "string" } }]);
    expect(paths["/orders/{id}/lines"].get.requestBody).toBeUndefined();
    expect(Object.keys(paths["/api/order-intake"])).toEqual(["post"]);
  });

  it("declared data types determine the content types", () => {
    expect(paths["/api/typed"].post.requestBody.content).toEqual({ "application/xml": { schema: { title: "invoice" } } });
    expect(Object.keys(paths["/api/typed"].post.responses["200"].content)).toEqual(["application/json"]);
  });

  it("an asynchronous webhook documents its 202 reply", () => {
    expect(paths["/api/later"].post.responses["202"].content["application/json"].schema.required).toEqual(["runId"]);
    expect(paths["/api/kept"].post.responses["202"].content["application/json"].schema.required).toEqual(["messageId"]);
    expect(paths["/api/kept"].post.responses["200"]).toBeUndefined();
  });

  it("the policy's schemes and rules are documented, without secrets", () => {
    expect(Object.keys(components.securitySchemes)).toEqual(["deployToken", "guarded.1.apiKey", "guarded.2.basic", "guarded.3.jwt", "guarded.4.hmac"]);
    expect(components.securitySchemes["guarded.1.apiKey"]).toEqual({ type: "apiKey", in: "header", name: "X-API-Key" });
    expect(components.securitySchemes["guarded.3.jwt"]).toMatchObject({ type: "http", scheme: "bearer", bearerFormat: "JWT" });
    expect(components.securitySchemes["guarded.4.hmac"]).toMatchObject({ in: "header", name: "Stripe-Signature" });
    const { get, post } = paths["/api/guarded"];
    expect([get.security, get.responses["401"]]).toEqual([[], undefined]);
    expect(post.security).toContainEqual({ "guarded.1.apiKey": ["write"] });
    expect(post.security).toContainEqual({ "guarded.4.hmac": ["hooks"] });
    expect(post.security.length).toBe(8);
    expect(Object.keys(post.responses).toSorted()).toEqual(["200", "401", "403", "404", "413", "415", "429", "500", "503", "504", "default"]);
    expect(JSON.stringify({ paths, components })).not.toMatch(/s3cr3t|pass-word|whsec/);
  });

  it("are removed with their routes", async () => {
    await server.api("POST", "/routes/typed/stop");
    expect(Object.keys((await server.api("GET", "/openapi.json")).json.paths)).not.toContain("/api/typed");
    for (const flow of ["described", "own-path", "typed", "later", "kept", "guarded"]) await server.api("DELETE", `/flows/${flow}`);
    await server.api("DELETE", "/auth/guarded");
    const after = (await server.api("GET", "/openapi.json")).json;
    expect(Object.keys(after.paths).filter((path) => !path.startsWith("/_api"))).toEqual(["/api/order-intake"]);
    expect(Object.keys(after.components.securitySchemes)).toEqual(["deployToken"]);
  });
});

it("only health and webhooks without a policy need no token", () => {
  const withoutToken = operations()
    .filter(([, , operation]) => operation.security?.length === 0)
    .map(([path]) => path);
  expect(withoutToken.toSorted()).toEqual(["/_api/health", "/api/order-intake"]);
  expect(document.security).toEqual([{ deployToken: [] }]);
});
