import { describe, expect, it } from "vitest";
import { apiReference } from "./api-reference.ts";

const errors = (...codes: readonly string[]) => ({ description: "wrong", "x-error-codes": Object.fromEntries(codes.map((code) => [code, `It is ${code}.`])) });
const document = {
  info: { description: "First.\n\nSecond." },
  security: [{ token: [] }],
  tags: [{ name: "things", "x-displayName": "Things", description: "All things." }, { name: "empty" }],
  paths: {
    "/_api/things/{id}": {
      put: {
        operationId: "putThing",
        tags: ["things"],
        summary: "Puts a thing",
        description: "Creates or replaces it.",
        parameters: [
          { name: "id", in: "path", required: true, description: "Its id.", example: "one", schema: { type: "string" } },
          { name: "by", in: "query", required: true, schema: { type: "string" } },
          { name: "kind", in: "query", schema: { type: "array", items: { enum: ["a", "b"] }, default: ["a"] } },
          { $ref: "#/components/parameters/IfMatch" },
        ],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                properties: { name: { type: "string", description: "Its name." }, part: { anyOf: [{ $ref: "#/c/Part" }, { type: "null" }] } },
                required: ["name"],
              },
              example: { name: "it's" },
            },
            "text/csv": { schema: { type: "string" } },
          },
        },
        responses: {
          200: { description: "Done.", content: { "application/json": { schema: { properties: { ok: { const: true } } }, example: { ok: true } } } },
          400: errors("bad"),
          401: { $ref: "#/components/responses/unauthorized" },
          default: errors("other"),
        },
      },
    },
    "/_api/stream": {
      get: {
        operationId: "stream",
        tags: ["things"],
        summary: "Streams",
        parameters: [{ $ref: "#/components/parameters/IfMatch" }],
        security: [{ token: [] }],
        responses: {
          200: {
            description: "Events.",
            content: { "text/event-stream": { schema: { type: "string" }, "x-events": { thing: { $ref: "#/components/schemas/Part" } } } },
          },
          401: errors("unauthorized"),
        },
      },
    },
    "/open": {
      get: {
        operationId: "open",
        tags: ["things"],
        summary: "Is open",
        security: [],
        responses: { 200: { description: "Yes." }, 401: errors("unauthorized") },
      },
    },
  },
  components: {
    parameters: { IfMatch: { name: "If-Match", in: "header", schema: { type: "string" } } },
    responses: { unauthorized: errors("unauthorized") },
    schemas: { Part: { properties: { size: { type: ["integer", "null"] } }, required: ["size"] }, Kind: { enum: ["a", "b"], description: "A kind." } },
  },
};

describe("the content of the API reference", () => {
  const { introduction, commonErrors, commonParameters, sections, schemas } = apiReference(document);
  const [put, stream, open] = sections[0]?.operations ?? [];

  it("has the sections of the tags, with their operations", () => {
    expect(introduction).toEqual(["First.", "Second."]);
    expect(sections.map(({ title, operations }) => [title, operations.length])).toEqual([
      ["Things", 3],
      ["empty", 0],
    ]);
    expect(put).toMatchObject({ id: "putThing", method: "PUT", path: "/_api/things/{id}", summary: "Puts a thing", needsToken: true });
    expect(open).toMatchObject({ needsToken: false });
  });

  it("resolves parameters, types and bodies", () => {
    expect(put?.parameters.map(({ name, location, isRequired, defaultValue }) => [name, location, isRequired, defaultValue])).toEqual([
      ["id", "path", true, undefined],
      ["by", "query", true, undefined],
      ["kind", "query", false, '["a"]'],
    ]);
    expect(commonParameters.map(({ name }) => name)).toEqual(["If-Match"]);
    expect(put?.parameters[2]?.type).toEqual([{ text: "list of " }, { code: "a" }, { text: ", " }, { code: "b" }]);
    expect(put?.body).toEqual({
      isRequired: true,
      members: [
        { name: "name", type: [{ text: "string" }], isRequired: true, description: "Its name." },
        { name: "part", type: [{ schema: "Part" }, { text: " or " }, { text: "null" }], isRequired: false, description: "" },
      ],
      textTypes: ["text/csv"],
    });
    expect(stream?.replies[0]?.contents).toEqual([
      { kind: "events", events: [{ name: "thing", type: [{ schema: "Part" }], isRequired: true, description: "" }] },
    ]);
  });

  it("separates replies from errors, and the errors of all operations from those of one", () => {
    expect(commonErrors).toEqual([{ status: "401", codes: [{ code: "unauthorized", meaning: "It is unauthorized." }] }]);
    expect(put?.replies.map(({ status, example }) => [status, example])).toEqual([["200", '{\n  "ok": true\n}']]);
    expect(put?.errors).toEqual([{ status: "400", codes: [{ code: "bad", meaning: "It is bad." }] }]);
    expect(open?.errors).toEqual([{ status: "401", codes: [{ code: "unauthorized", meaning: "It is unauthorized." }] }]);
  });

  it("writes calls that a shell can run", () => {
    expect(put?.example).toBe(
      `curl -X PUT "$SLUICE/_api/things/one?by=BY" \\\n  -H "$AUTH" \\\n  -H "Content-Type: application/json" \\\n  -d '{\n  "name": "it'\\''s"\n}'`,
    );
    expect(stream?.example).toBe('curl "$SLUICE/_api/stream" \\\n  -H "$AUTH" \\\n  -N');
    expect(open?.example).toBe('curl "$SLUICE/open"');
  });

  it("lists schemas with and without members", () => {
    expect(schemas).toEqual([
      {
        name: "Part",
        type: [{ text: "any" }],
        description: "",
        members: [{ name: "size", type: [{ text: "integer or null" }], isRequired: true, description: "" }],
      },
      { name: "Kind", type: [{ code: "a" }, { text: ", " }, { code: "b" }], description: "A kind.", members: undefined },
    ]);
  });

  it("is empty for a document without content", () => {
    for (const empty of [undefined, null, "x", [], {}, { paths: { "/x": null }, tags: [null], components: 5 }])
      expect(apiReference(empty)).toMatchObject({ commonErrors: [], commonParameters: [], sections: [], schemas: [] });
  });
});
