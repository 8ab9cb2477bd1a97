import { describe, expect, it } from "vitest";
import { z } from "zod";
import { f } from "@sluice/model";
import { defineEndpoint, ok, shape } from "./endpoint.ts";
import { openApiDocument } from "./openapi.ts";

const document = openApiDocument({
  version: "1.2.3",
  endpoints: [
    defineEndpoint({
      method: "GET",
      path: "/things",
      tag: "flows",
      summary: "All",
      description: "All of them.",
      errors: [],
      query: { limit: f.integer({ doc: "How many.", default: 5, min: 1 }), kind: f.enum(["a", "b"], { doc: "Which." }) },
      replies: { 200: { description: "ok", schema: shape(() => ({ things: z.array(z.string()) })) } },
      handle: () => ok({}),
    }),
    defineEndpoint({
      method: "PUT",
      path: "/things/:id",
      tag: "flows",
      summary: "Put",
      description: "Creates it.",
      conditional: "replace it",
      errors: ["conflict", "id-invalid"],
      example: { yaml: "[]" },
      body: z.object({ yaml: z.string(), params: z.unknown().optional() }),
      rawBody: ["application/yaml"],
      replies: { 201: { description: "made" } },
      handle: () => ok({}),
    }),
    defineEndpoint({
      method: "GET",
      path: "/health",
      tag: "health",
      summary: "Open",
      description: "Open to all.",
      open: true,
      errors: [],
      replies: { 200: { description: "ok" } },
      handle: () => ok({}),
    }),
  ],
  webhooks: {
    webhooks: [
      {
        routeId: "order-intake",
        path: "/api/order-intake",
        methods: ["POST"],
        prefix: false,
        description: undefined,
        security: undefined,
        request: undefined,
        reply: undefined,
        acceptedIdMember: undefined,
      },
    ],
    securitySchemes: {},
  },
}) as any;

/** Errors of the listener, which every operation has. */
const unreadable = {
  408: "request-timeout",
  413: "body-too-large",
  414: "target-too-long",
  417: "expectation-unsupported",
  431: "head-too-large",
  505: "http-version-unsupported",
};

const versionParameter = { $ref: "#/components/parameters/AcceptApiVersion" };

describe("OpenAPI", () => {
  it("matches the declarations", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.paths["/_api/things"].get.parameters).toEqual([
      { name: "limit", in: "query", required: false, description: "How many.", schema: { type: "integer", minimum: 1, default: 5 } },
      { name: "kind", in: "query", required: false, description: "Which.", schema: { type: "string", enum: ["a", "b"] } },
      versionParameter,
    ]);
    const { put } = document.paths["/_api/things/{id}"];
    expect(put.parameters).toEqual([
      { name: "id", in: "path", required: true, description: expect.any(String), example: "orders", schema: { type: "string" } },
      { $ref: "#/components/parameters/IfMatch" },
      { $ref: "#/components/parameters/IfNoneMatch" },
      versionParameter,
    ]);
    expect(document.components.parameters.AcceptApiVersion).toMatchObject({ name: "Accept-Api-Version", in: "header", schema: { enum: [1] } });
    expect(put.requestBody.content["application/json"].schema).toMatchObject({ type: "object", required: ["yaml"], properties: { yaml: { type: "string" } } });
    expect(Object.keys(put.requestBody.content)).toEqual(["application/json", "application/yaml"]);
    expect(document.paths["/_api/health"].get.security).toEqual([]);
    expect(document.paths["/api/order-intake"].post.responses.default).toBeDefined();
  });

  it("declares every status with its codes, from the declaration and from the steps before the handler", () => {
    const codesOf = (operation: any): Readonly<Record<string, string>> =>
      Object.fromEntries(
        Object.entries<any>(operation.responses).flatMap(([status, { $ref }]) => ($ref === undefined ? [] : [[status, $ref.split("/").at(-1)]])),
      );
    expect(codesOf(document.paths["/_api/things"].get)).toEqual({
      ...unreadable,
      400: "query-invalid.request-invalid",
      401: "unauthorized",
      406: "version-unserved",
      500: "internal",
      503: "token-unconfigured",
    });
    expect(codesOf(document.paths["/_api/things/{id}"].put)).toEqual({
      ...unreadable,
      400: "body-invalid.id-invalid.request-invalid",
      401: "unauthorized",
      406: "version-unserved",
      409: "conflict",
      412: "already-exists.changed",
      415: "encoding-unsupported.media-unsupported",
      500: "internal",
      503: "draining.saturated.token-unconfigured",
    });
    expect(codesOf(document.paths["/_api/health"].get)).toEqual({
      ...unreadable,
      400: "request-invalid",
      406: "version-unserved",
      500: "internal",
    });
    const response = document.components.responses["body-invalid.id-invalid.request-invalid"];
    expect(response.description).toMatch(/^`body-invalid`: .+\. `id-invalid`: .+\. `request-invalid`: .+\.$/);
    expect(response.content).toEqual({ "application/json": { schema: { $ref: "#/components/schemas/Error" } } });
  });

  it("has no dangling references", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => (match[1] as string).split("/"));
    expect(references.length).toBeGreaterThan(0);
    for (const path of references) expect(path.reduce<any>((node, key) => node?.[key], document)).toBeDefined();
  });
});
