// The catalog and the schema of the flow language for tools.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CatalogView, OptionView } from "@sluice/model";
import { call, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let catalog: CatalogView;
beforeAll(async () => {
  server = await startTestServer();
  catalog = (await server.api("GET", "/catalog")).json;
});
afterAll(() => server.end());

const findByName = <T extends { readonly name: string }>(list: readonly T[], name: string): T => list.find((entry) => entry.name === name) as T;

describe("GET /_api/catalog", () => {
  it("needs the token", async () => {
    for (const path of ["/_api/catalog", "/_api/schema"]) expect((await call(server.baseUrl, "GET", path)).status).toBe(401);
  });

  it("describes a step completely for palette and form", () => {
    const filter = findByName(catalog.steps, "filter");
    expect(filter).toMatchObject({ title: "Filter", group: "routing", icon: "filter", since: "0.1", summary: expect.stringMatching(/\.$/) });
    expect(findByName(filter.options, "expression")).toMatchObject({
      kind: "expression",
      type: "object",
      inline: true,
      required: true,
      group: "common",
      secret: false,
    });
    expect(findByName(filter.options, "steps")).toMatchObject({ kind: "steps", type: "array" });
    expect(filter.examples[0]).toMatchObject({ title: expect.any(String), yaml: expect.stringContaining("filter"), expect: expect.any(Object) });
  });

  it("includes nested blocks, enum values, limits, defaults and secrets", () => {
    const when = findByName(findByName(catalog.steps, "choice").options, "when");
    expect([when.kind, when.item?.kind, when.item?.fields?.map(({ kind }) => kind)]).toEqual([
      "list",
      "object",
      expect.arrayContaining(["expression", "steps"]),
    ]);
    const timer = catalog.connectors.find(({ scheme }) => scheme === "timer");
    expect(timer).toMatchObject({ syntax: "timer:timerName", roles: ["source"], path: [{ name: "timerName", required: true }] });
    expect(findByName(timer?.options ?? [], "period")).toMatchObject({ kind: "duration", type: "integer", default: 1000 });
    expect(findByName(timer?.options ?? [], "repeatCount")).toMatchObject({ minimum: 0, default: 0 });
    const http = catalog.connectors.find(({ scheme }) => scheme === "http");
    expect(http).toMatchObject({ aliases: ["https"], lenient: true, roles: ["sink"] });
    expect(findByName(http?.options ?? [], "authPassword")).toMatchObject({ secret: true, group: "security" });
    expect(findByName(http?.options ?? [], "httpMethod").values).toContain("PATCH");
  });

  it("lists a connector with several schemes and a bean with several names once", () => {
    expect(catalog.connectors.filter(({ aliases, scheme }) => [scheme, ...aliases].includes("https")).length).toBe(1);
    expect(catalog.beans.filter(({ names }) => names.includes("useLatest")).map(({ names }) => names.length > 1)).toEqual([true]);
  });

  it("has entities, the fields of routes, common options of steps, and rejected names", () => {
    expect(findByName(catalog.entities, "onException")).toMatchObject({ beforeRoutes: true });
    expect(catalog.common.map(({ name }) => name)).toEqual(["id", "description", "note", "disabled"]);
    expect(catalog.route.map(({ name }) => name)).toContain("autoStartup");
    expect(findByName(catalog.from as OptionView[], "uri")).toMatchObject({ kind: "uri", required: true });
    expect(Object.values(catalog.refused).every((sentence) => sentence.length > 10)).toBe(true);
  });

  it("is pure JSON: no example contains bytes", () => {
    const keysOfBytes: string[] = [];
    JSON.stringify(catalog, (key, value) => {
      if (value !== null && typeof value === "object" && "0" in value && !Array.isArray(value)) keysOfBytes.push(key);
      return value;
    });
    expect(keysOfBytes).toEqual([]);
  });
});

describe("GET /_api/schema", () => {
  it("is a JSON Schema of draft 2020-12 with a definition for every step, language, format and entity", async () => {
    const reply = await server.api("GET", "/schema");
    expect(reply.headers.get("content-type")).toBe("application/schema+json; charset=utf-8");
    expect(reply.json.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    const expected = [
      ...catalog.steps.map(({ name }) => `step.${name}`),
      ...catalog.languages.map(({ name }) => `language.${name}`),
      ...catalog.formats.map(({ name }) => `format.${name}`),
      ...catalog.entities.map(({ name }) => `entity.${name}`),
    ];
    expect(expected.filter((name) => reply.json.$defs[name] === undefined)).toEqual([]);
  });

  it("refers only to definitions it has", async () => {
    const { text, json } = await server.api("GET", "/schema");
    const references = new Set([...text.matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map((match) => match[1] as string));
    expect(references.size).toBeGreaterThan(60);
    expect([...references].filter((name) => json.$defs[name] === undefined)).toEqual([]);
  });

  it("is listed in the API's own document", async () => {
    const { paths } = (await call(server.baseUrl, "GET", "/_api/openapi.json", undefined, { authorization: `Bearer ${token}` })).json;
    expect([paths["/_api/catalog"].get.operationId, paths["/_api/schema"].get.operationId]).toEqual(["getCatalog", "getSchema"]);
  });
});
