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
      tag: "t",
      summary: "All",
      query: { limit: f.integer({ doc: "How many.", default: 5, min: 1 }), kind: f.enum(["a", "b"], { doc: "Which." }) },
      replies: { 200: { description: "ok", schema: shape(() => ({ things: z.array(z.string()) })) } },
      handle: () => ok({}),
    }),
    defineEndpoint({
      method: "PUT",
      path: "/things/:id",
      tag: "t",
      summary: "Put",
      body: z.object({ yaml: z.string(), params: z.unknown().optional() }),
      rawBody: ["application/yaml"],
      replies: { 201: { description: "made" } },
      handle: () => ok({}),
    }),
    defineEndpoint({ method: "GET", path: "/health", tag: "t", summary: "Open", open: true, replies: { 200: { description: "ok" } }, handle: () => ok({}) }),
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

const versionParameter = { $ref: "#/components/parameters/AcceptApiVersion" };

describe("OpenAPI", () => {
  it("matches the declarations", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.paths["/_api/things"].get.parameters).toEqual([
      { name: "limit", in: "query", required: false, description: "How many.", schema: { type: "integer", default: 5 } },
      { name: "kind", in: "query", required: false, description: "Which.", schema: { type: "string", enum: ["a", "b"] } },
      versionParameter,
    ]);
    const { put } = document.paths["/_api/things/{id}"];
    expect(put.parameters).toEqual([{ name: "id", in: "path", required: true, schema: { type: "string" } }, versionParameter]);
    expect(document.components.parameters.AcceptApiVersion).toMatchObject({ name: "Accept-Api-Version", in: "header", schema: { enum: [1] } });
    expect(put.requestBody.content["application/json"].schema).toMatchObject({ type: "object", required: ["yaml"], properties: { yaml: { type: "string" } } });
    expect(Object.keys(put.requestBody.content)).toEqual(["application/json", "application/yaml"]);
    expect(document.paths["/_api/health"].get.security).toEqual([]);
    expect(document.paths["/api/order-intake"].post.responses.default).toBeDefined();
  });

  it("has no dangling references", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => (match[1] as string).split("/"));
    expect(references.length).toBeGreaterThan(0);
    for (const path of references) expect(path.reduce<any>((node, key) => node?.[key], document)).toBeDefined();
  });
});
