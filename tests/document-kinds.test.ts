// Every kind of document that users write has a JSON Schema, a page in the reference and a line in the editor set-up, and every document in the
// repository is valid against its schema. The unit tests of each kind compare the schema with what the runtime rejects.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { documentKinds, schemaOfKind } from "@sluice/server";
import { createConnectionChecker, type DocumentKindName } from "@sluice/server/check";
import { changedDocuments } from "@sluice/testkit";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { schemaKinds } from "../packages/cli/src/commands/schema/schema-kinds.ts";
import { templates } from "../packages/cli/src/commands/new/templates.ts";
import { readDocument } from "../packages/server/src/connections/connection-document.ts";
import { docPages, nameOf, type Block } from "./doc-page.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const kinds = Object.keys(documentKinds) as readonly DocumentKindName[];
// An option may be named like a member that every object inherits.
const ajv = new Ajv2020({ ownProperties: true, strictRequired: false, strictTypes: false, allowUnionTypes: true, keywords: ["x-kind", "x-group"] });
let validators: Readonly<Record<DocumentKindName, ValidateFunction>>;
beforeAll(async () => {
  const compiled = await Promise.all(kinds.map(async (kind) => [kind, ajv.compile(await schemaOfKind(kind))] as const));
  validators = Object.fromEntries(compiled) as typeof validators;
});

interface Found {
  readonly kind: DocumentKindName;
  readonly where: string;
  readonly document: unknown;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null && !Array.isArray(value);

/** The kind of a document, by the members that only this kind has. */
function kindOf(document: unknown): DocumentKindName | undefined {
  if (Array.isArray(document)) return document.some((item) => isRecord(item) && ("route" in item || "from" in item)) ? "flow" : undefined;
  if (!isRecord(document)) return undefined;
  const has = (...names: readonly string[]): boolean => names.every((name) => name in document);
  if (has("tests") && (has("flow") || has("flowId"))) return "test";
  if (has("type", "values")) return "connection";
  if (has("authenticate") || has("rules", "default") || has("cors")) return "policy";
  if (has("source", "target", "map")) return "message-mapping";
  return has("columns", "rows") || has("entries") ? "value-mapping" : undefined;
}

function inText(where: string, text: string): readonly Found[] {
  // A shortened document or one with placeholders of the page is not complete.
  if (text.includes("…")) return [];
  const document: unknown = parse(text);
  const kind = kindOf(document);
  return kind === undefined ? [] : [{ kind, where, document }];
}

function inBlock(where: string, { kind, line, body }: Block): readonly Found[] {
  return kind === "yaml" || kind === "json" ? inText(`${where}:${line}`, body) : [];
}

/** Code in a table or a sentence, such as the forms of value mappings. */
const inlineDocuments = (): readonly Found[] =>
  docPages().flatMap((page) =>
    [...readFileSync(page.path, "utf8").matchAll(/`(\{"(?:columns|entries)".*?\})`/g)].flatMap(([, text]) => inText(nameOf(page), text as string)),
  );

const exampleDocuments = (): readonly Found[] =>
  readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ya?ml|json)$/.test(name) && !/node_modules|package(-lock)?\.json|\.schema\.json$/.test(name))
    .flatMap((name) => inText(`examples/${name}`, readFileSync(join(root, "examples", name), "utf8")));

const templateDocuments = (): readonly Found[] =>
  Object.entries(templates).flatMap(([name, { flow, tests }]) => [...inText(`new ${name}`, flow), ...inText(`new ${name}`, tests)]);

describe("every kind of document", () => {
  it("can be printed by `sluice schema`", () => {
    expect(Object.keys(schemaKinds)).toEqual(kinds);
  });

  it.each(kinds)("%s has a schema with an id, and a page and the schema in the reference", (kind) => {
    const folder = join(root, "docs/reference", kind === "flow" ? "" : "documents");
    const schema = JSON.parse(readFileSync(join(folder, `${kind}.schema.json`), "utf8")) as unknown;
    expect(schema).toMatchObject({ $id: `urn:sluice:${kind}.schema.json`, title: expect.any(String), description: expect.any(String) });
    const page = readFileSync(join(folder, kind === "flow" ? "routes.md" : `${kind}.md`), "utf8");
    expect(page).toMatch(/^\| `/m);
  });

  it.each(kinds)("%s is in the editor set-up, for the names of its files", (kind) => {
    const page = docPages().find(({ path }) => basename(path) === "editor.md");
    const command = page?.blocks.find(({ body }) => body.includes("sluice schema"))?.body ?? "";
    expect(command).toContain(`sluice schema ${kind} --output schemas/${kind}.schema.json\n`);
    const settings = JSON.parse(page?.blocks.find(({ body }) => body.includes("yaml.schemas"))?.body ?? "{}") as {
      readonly "yaml.schemas": Readonly<Record<string, readonly string[]>>;
      readonly "json.schemas": readonly { readonly url: string; readonly fileMatch: readonly string[] }[];
    };
    const schema = `./schemas/${kind}.schema.json`;
    const forJson = settings["json.schemas"].filter(({ url }) => url === schema).flatMap(({ fileMatch }) => fileMatch);
    expect([...(settings["yaml.schemas"][schema] ?? []), ...forJson].toSorted()).toEqual([...documentKinds[kind].files].toSorted());
  });
});

describe("the documents of the repository", () => {
  it("are valid against the schema of their kind", () => {
    const found = [
      ...docPages().flatMap((page) => page.blocks.flatMap((block) => inBlock(nameOf(page), block))),
      ...inlineDocuments(),
      ...exampleDocuments(),
      ...templateDocuments(),
    ];
    const invalid = found.flatMap(({ kind, where, document }) => {
      const validate = validators[kind];
      return validate(document) ? [] : [`${where} (${kind}): ${ajv.errorsText(validate.errors)}`];
    });
    expect(invalid).toEqual([]);
    for (const kind of kinds) expect([kind, found.some((each) => each.kind === kind)]).toEqual([kind, true]);
    expect(found.length).toBeGreaterThan(200);
  });
});

describe("the schema of connections", () => {
  const check = createConnectionChecker();
  /** Found by `sluice lint`, or when the runtime reads it. */
  const problems = async (document: unknown): Promise<readonly string[]> => {
    const { diagnostics } = await check("c", JSON.stringify(document));
    const found = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
    try {
      readDocument("c", document);
      return found;
    } catch (error) {
      return [...found, (error as Error).message];
    }
  };

  const connections: readonly [unknown][] = [
    [{ type: "sqlite", values: { file: "shop.db" } }],
    [{ type: "postgres", title: "Orders", values: { host: "db", database: "orders", user: "u", password: { env: "PW" }, port: 5432 } }],
    [{ type: "postgres", values: { host: { env: "HOST" }, database: "orders", user: "u", password: { file: "pw" }, port: "5432" } }],
    [{ type: "postgres", values: { host: "db", database: "orders", user: "u", password: { value: "x", secret: true } } }],
  ];
  it.each(connections)("accepts %j", async (document) => {
    expect(await problems(document)).toEqual([]);
    expect([validators.connection(document), validators.connection.errors]).toEqual([true, null]);
  });

  it("is not stricter than the runtime for a connection with one change", async () => {
    const changed = await Promise.all(
      connections.flatMap(([document]) => changedDocuments(document)).map(async (document) => ({ document, found: await problems(document) })),
    );
    const accepted = changed.filter(({ found }) => found.length === 0).map(({ document }) => document);
    expect(accepted.length).toBeGreaterThan(100);
    expect(accepted.filter((document) => !validators.connection(document))).toEqual([]);
  });

  it.each<[object, string]>([
    [{ title: 5 }, "'title' of connection 'c' must be a string of at most 200 characters"],
    [{ title: "x".repeat(201) }, "'title' of connection 'c' must be a string of at most 200 characters"],
    [{ values: { file: null } }, "field 'file' of connection 'c': expected text, got nothing"],
    [{ values: { file: { env: 5 } } }, "field 'file' of connection 'c': expected text, got a mapping"],
    [{ values: { file: "shop.db", busyTimeout: ["5s"] } }, "field 'busyTimeout' of connection 'c': expected a duration such as 500, 10s or 1m30s, got a list"],
  ])("is not needed by `sluice lint`, which reports %j", async (members, problem) => {
    const { diagnostics } = await check("c", JSON.stringify({ type: "sqlite", values: { file: "shop.db" }, ...members }));
    expect(diagnostics.map(({ message }) => message)).toEqual([problem]);
  });

  it.each<[unknown]>([
    [[]],
    [{}],
    [{ values: {} }],
    [{ type: "oracel", values: {} }],
    [{ type: "sqlite" }],
    [{ type: "sqlite", values: [] }],
    [{ type: "sqlite", values: {} }],
    [{ type: "sqlite", file: "shop.db" }],
    [{ type: "sqlite", values: { file: "shop.db", fiel: "x" } }],
    [{ type: "sqlite", values: { file: ["shop.db"] } }],
    [{ type: "sqlite", values: { file: { env: "A", file: "b" } } }],
  ])("rejects %j", async (document) => {
    expect(await problems(document)).not.toEqual([]);
    expect(validators.connection(document)).toBe(false);
  });
});
