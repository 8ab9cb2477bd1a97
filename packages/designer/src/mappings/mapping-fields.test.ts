import { compileMapping, functionNames } from "@sluice/mapping";
import { expect, test } from "vitest";
import { previewDocument } from "./document-preview.ts";
import { outputValue, proposals, sourceFields, targetFields, type SourceField, type TargetField } from "./mapping-fields.ts";
import { applyFunction, mappingFunctions } from "./function-list.ts";
import { addField, linkField, moveField, renameField, reorderField, unlinkField, withFormula, withLookup, withMember } from "./rule-edits.ts";

const sample = JSON.stringify({ id: "A", "odd name": 1, customer: { "e-mail": "a@b" }, lines: [{ sku: "KB", qty: 2 }], tags: ["x"] });
const document = {
  source: { format: "json" },
  target: {
    format: "json",
    schema: { properties: { orderNo: {}, Email: {}, items: { items: { properties: { material: {}, qty: {} }, required: ["qty"] } } }, required: ["Email"] },
  },
  map: [
    { to: "orderNo", expr: "upper(id)", required: true },
    { to: "items[]", forEach: "lines", map: [{ to: "material", value: "none" }] },
  ],
};
const environment = { tables: () => undefined, documents: () => undefined } as never;
const run = (mapping: unknown): unknown => {
  const { output, problems, errors } = previewDocument(mapping, sample, environment, 0);
  expect([problems, errors]).toEqual([[], []]);
  return JSON.parse(output ?? "null");
};

test("lists the fields of a sample with their rule paths", () => {
  expect(sourceFields(sample).map(({ path, name, depth, example }) => [path, name, depth, example])).toEqual([
    ["id", "id", 0, '"A"'],
    ["['odd name']", "odd name", 0, "1"],
    ["customer", "customer", 0, undefined],
    ["customer['e-mail']", "e-mail", 1, '"a@b"'],
    ["lines", "lines[]", 0, undefined],
    ["lines[*].sku", "sku", 1, '"KB"'],
    ["lines[*].qty", "qty", 1, "2"],
    ["tags", "tags[]", 0, '["x"]'],
  ]);
  expect(sourceFields("a;b")).toEqual([]);
});

test("lists the fields of a target with their source, and whether they are required", () => {
  expect(targetFields(document).map(({ path, rule, formula, required }) => [path, rule, formula, required])).toEqual([
    ["orderNo", [0], "upper(id)", true],
    ["items[]", [1], "lines", false],
    ["items[].material", [1, 0], "'none'", false],
    ["items[].qty", undefined, undefined, true],
    ["Email", undefined, undefined, true],
  ]);
});

const source = (path: string): SourceField => sourceFields(sample).find((field) => field.path === path) as SourceField;
const target = (mapping: Parameters<typeof targetFields>[0], path: string): TargetField =>
  targetFields(mapping).find((field) => field.path === path) as TargetField;
const rulesOf = (mapping: Readonly<Record<string, unknown>>): any => mapping["map"];

test("a link fills the field, keeps the rest of its rule, and uses a path relative to the surrounding loop", () => {
  const withQuantity = linkField(document, source("lines[*].qty"), target(document, "items[].qty"));
  const filled = linkField(withQuantity, source("customer['e-mail']"), target(document, "Email"));
  expect(rulesOf(filled)[1].map).toEqual([
    { to: "material", value: "none" },
    { to: "qty", from: "qty" },
  ]);
  expect(run(filled)).toEqual({ orderNo: "A", items: [{ material: "none", qty: 2 }], Email: "a@b" });
  expect(rulesOf(linkField(document, source("lines[*].sku"), target(document, "items[].material")))[1].map).toEqual([{ to: "material", from: "sku" }]);
  // Inside the loop, a field outside it is read from the message.
  expect(rulesOf(linkField(document, source("id"), target(document, "items[].material")))[1].map).toEqual([{ to: "material", from: "$.id" }]);
  expect(compileMapping(filled, environment).problems).toEqual([]);
});

test("a second source is joined, a list of objects creates a loop, and a field in a list that is not mapped adds the loop of that list", () => {
  const joined = linkField(document, source("customer['e-mail']"), target(document, "orderNo"));
  expect(rulesOf(joined)[0]).toEqual({ to: "orderNo", expr: "upper(id) + ' ' + customer['e-mail']", required: true });
  const empty = { ...document, map: [] };
  expect(rulesOf(linkField(empty, source("lines"), target(empty, "items[]")))).toEqual([{ to: "items[]", forEach: "lines", map: [] }]);
  const inside = linkField(empty, source("lines[*].qty"), target(empty, "items[].qty"));
  expect(rulesOf(inside)).toEqual([{ to: "items[]", forEach: "lines", map: [{ to: "qty", from: "qty" }] }]);
});

test("a formula becomes a path, a constant or an expression; a lookup keeps the source as its key", () => {
  const email = target(document, "Email");
  const ruleFor = (text: string): unknown => rulesOf(withFormula(document, email, text))[2];
  expect(ruleFor("customer['e-mail']")).toEqual({ to: "Email", from: "customer['e-mail']" });
  expect(ruleFor("'it\\'s'")).toEqual({ to: "Email", value: "it's" });
  expect(ruleFor("12.5")).toEqual({ to: "Email", value: 12.5 });
  expect(ruleFor("lower(id)")).toEqual({ to: "Email", expr: "lower(id)" });
  expect(ruleFor(" ")).toBeUndefined();
  const first = target(document, "orderNo");
  const found = withLookup(document, first, { table: "uom", from: "shop", to: "sap", onMissing: "key" });
  expect(rulesOf(found)[0]).toMatchObject({ lookup: { table: "uom", from: "shop", to: "sap", key: "upper(id)", onMissing: "key" } });
  expect(target(found, "orderNo")).toMatchObject({
    formula: "lookup('uom', 'shop', 'sap', upper(id), 'key')",
    sources: ["id"],
    functions: ["lookup", "upper"],
  });
  expect(rulesOf(withMember(document, first, "when", "id != ''"))[0]).toMatchObject({ when: "id != ''" });
});

test("fields are added, renamed, moved and removed", () => {
  const list = target(document, "items[]");
  expect(rulesOf(addField(document, list, "color"))[1].map[1]).toMatchObject({ to: "color" });
  expect(rulesOf(renameField(document, list, "rows"))[1]).toMatchObject({ to: "rows[]", forEach: "lines" });
  expect(rulesOf(moveField(document, list, -1) ?? {}).map(({ to }: { to: string }) => to)).toEqual(["items[]", "orderNo"]);
  expect(moveField(document, list, 1)).toBeUndefined();
  expect(rulesOf(unlinkField(document, target(document, "items[].material")))[1].map).toEqual([]);
});

test("a target lists every source field that it reads, and its output value is that of the first list item", () => {
  const mapping = { ...document, map: [{ to: "x", expr: "trim(customer['e-mail']) + ' id ' + id", when: "count(lines[*].qty) > 0" }] };
  expect(target(mapping, "x").sources).toEqual(["customer['e-mail']", "id", "lines[*].qty"]);
  expect(outputValue('{"items":[{"qty":2}]}', "items[].qty")).toBe("2");
});

test("every offered function exists, and is written around the formula", () => {
  expect(mappingFunctions.map(({ name }) => name).filter((name) => !functionNames.includes(name))).toEqual([]);
  const [upper] = mappingFunctions;
  expect(applyFunction(upper as never, "id")).toBe("upper(id)");
});

test("fields with the same name are suggested for unfilled fields", () => {
  expect(proposals(document, sample).map(({ source: { path }, target: field }) => [path, field.path])).toEqual([
    ["lines[*].qty", "items[].qty"],
    ["customer['e-mail']", "Email"],
  ]);
});

test("a field can be moved only within its group", () => {
  const document = { map: [{ to: "a" }, { to: "b" }, { to: "c", map: [{ to: "d" }, { to: "e" }] }] };
  const names = (rules: readonly { readonly to: string }[] | undefined): string | undefined => rules?.map(({ to }) => to).join("");
  const at = (...rule: readonly number[]) => ({ path: "", rule });
  expect(names(rulesOf(reorderField(document, at(0), at(2)) ?? {}))).toBe("bca");
  expect(names(rulesOf(reorderField(document, at(2), at(0)) ?? {}))).toBe("cab");
  expect(names(rulesOf(reorderField(document, at(2, 1), at(2, 0)) ?? {}).at(-1)?.map)).toBe("ed");
  expect(reorderField(document, at(2, 1), at(0))).toBeUndefined();
  expect(reorderField(document, at(1), at(1))).toBeUndefined();
});
