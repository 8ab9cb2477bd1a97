import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { f } from "../schema/field.ts";
import { fieldsToJsonSchema } from "../schema/json-schema.ts";
import type { ConnectorShape } from "../schema/catalog-view.ts";
import { flowToJsonSchema } from "./flow-schema.ts";
import { sampleVocabulary } from "./sample-vocabulary.test-support.ts";

type Schema = Record<string, any>;
const connectors: ReadonlyMap<string, ConnectorShape> = new Map(
  [
    {
      scheme: "timer",
      syntax: "timer:timerName",
      path: { timerName: f.string({ doc: "Name.", required: true }) },
      options: {
        period: f.duration({ doc: "Period." }),
        delay: f.duration({ doc: "Delay." }),
        fixedRate: f.boolean({ doc: "Fixed rate." }),
        repeatCount: f.integer({ doc: "Count." }),
        includeMetadata: f.boolean({ doc: "Metadata." }),
      },
    },
    { scheme: "mock", syntax: "mock:name", path: { name: f.string({ doc: "Name." }) }, options: { count: f.integer({ doc: "Count." }) } },
    { scheme: "http", syntax: "http://host", path: {}, options: { timeout: f.duration({ doc: "Timeout." }) }, lenient: true },
  ].map((shape) => [
    shape.scheme,
    { title: shape.scheme, summary: "", group: "", since: "", headers: {}, examples: [], ...shape } as unknown as ConnectorShape,
  ]),
);
const flowSchema = flowToJsonSchema(sampleVocabulary, connectors) as Schema;

const typeOf = (value: unknown): string[] =>
  value === null ? ["null"] : Array.isArray(value) ? ["array"] : Number.isInteger(value) ? ["integer", "number"] : [typeof value];

/** Implements the JSON Schema keywords these schemas use; an unknown keyword is an error in the test. */
function valid(schema: Schema | boolean, value: unknown): boolean {
  if (typeof schema === "boolean") return schema;
  const object = typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  return Object.entries(schema).every(([keyword, rule]) => {
    switch (keyword) {
      case "$ref":
        return valid(flowSchema["$defs"][(rule as string).slice("#/$defs/".length)], value);
      case "type":
        return typeOf(value).some((type) => [rule].flat().includes(type));
      case "enum":
        return rule.includes(value);
      case "anyOf":
        return rule.some((candidate: Schema) => valid(candidate, value));
      case "oneOf":
        return rule.filter((candidate: Schema) => valid(candidate, value)).length === 1;
      case "allOf":
        return rule.every((candidate: Schema) => valid(candidate, value));
      case "not":
        return !valid(rule, value);
      case "items":
        return !Array.isArray(value) || value.every((item) => valid(rule, item));
      case "properties":
        return object === undefined || Object.entries(object).every(([key, member]) => !Object.hasOwn(rule, key) || valid(rule[key], member));
      case "additionalProperties":
        return (
          object === undefined ||
          Object.entries(object).every(
            ([key, member]) =>
              Object.hasOwn(schema["properties"] ?? {}, key) ||
              Object.keys(schema["patternProperties"] ?? {}).some((pattern) => new RegExp(pattern).test(key)) ||
              (rule !== false && valid(rule, member)),
          )
        );
      case "patternProperties":
        return (
          object === undefined ||
          Object.entries(object).every(([key, member]) =>
            Object.entries<Schema>(rule).every(([pattern, inner]) => !new RegExp(pattern).test(key) || valid(inner, member)),
          )
        );
      case "if":
        return !valid(rule, value) || valid(schema["then"], value);
      case "pattern":
        return typeof value !== "string" || new RegExp(rule).test(value);
      case "required":
        return object === undefined || rule.every((key: string) => Object.hasOwn(object, key));
      case "minProperties":
        return object === undefined || Object.keys(object).length >= rule;
      case "maxProperties":
        return object === undefined || Object.keys(object).length <= rule;
      case "minimum":
        return typeof value !== "number" || value >= rule;
      case "maximum":
        return typeof value !== "number" || value <= rule;
      default:
        if (/^(\$schema|\$id|\$defs|then|title|description|default|examples|writeOnly|x-kind|x-group)$/.test(keyword)) return true;
        throw new Error(`unknown keyword ${keyword}`);
    }
  });
}

const accepts = (yaml: string): boolean => valid(flowSchema, parse(yaml));
const routeWith = (step: string): string => `- from: {uri: "direct:a", steps: [${step}]}\n`;

test.each([
  "{log: hi}",
  "{log: {message: hi, loggingLevel: warn}}",
  "{setBody: {simple: x}}",
  "{setBody: {expression: {simple: {expression: x, trim: true}}}}",
  "{setBody: {tokenize: {token: ','}}}",
  "{marshal: {json: {}}}",
  "{filter: {simple: x}}",
  "{to: {uri: mock, parameters: {name: a, count: 5}}}",
  "{stop: {}}",
  "{choice: {when: [{id: w, simple: x, steps: [{log: y}]}], otherwise: {steps: []}}}",
  "{aggregate: {correlationExpression: {header: id}, aggregationStrategy: s, completionSize: '{{n}}', completionTimeout: 5s}}",
])("%s is a step", (step) => expect(accepts(routeWith(step))).toBe(true));

test.each([
  "{lgo: hi}",
  "{setBody: {}}",
  "{setBody: x}",
  "{setBody: {simple: a, constant: b}}",
  "{marshal: {}}",
  "{marshal: {json: {}, csv: {}}}",
  "{stop: null}",
  "{log: {mesage: x}}",
  "{setHeader: {constant: x}}",
  "{log: a, to: b}",
  "stop",
])("%s is rejected", (step) => expect(accepts(routeWith(step))).toBe(false));

test.each(["- route: {id: x}\n", "- from: direct:a\n", "- flow: {}\n", "route: {}\n", "- route: {steps: [], from: {uri: a, steps: []}}\n"])(
  "%s is not a flow",
  (yaml) => expect(accepts(yaml)).toBe(false),
);

test("every reference has its definition", () => {
  const names = [...JSON.stringify(flowSchema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map((match) => match[1] as string);
  expect(names.length).toBeGreaterThan(100);
  expect([...new Set(names)].filter((name) => !Object.hasOwn(flowSchema["$defs"], name))).toEqual([]);
});

test("options of one declaration include the metadata for tools", () => {
  const schema = fieldsToJsonSchema({
    name: f.string({ doc: "Who.", title: "Name", required: true }),
    level: f.enum(["A", "B"], { doc: "", default: "A" }),
    size: f.integer({ doc: "", min: 1, max: 5, group: "advanced" }),
    password: f.string({ doc: "", secret: true }),
  });
  expect(schema).toEqual({
    type: "object",
    properties: Object.assign(Object.create(null), {
      name: { description: "Who.", title: "Name", type: ["string", "number", "boolean"], "x-kind": "string" },
      level: { anyOf: [{ enum: ["A", "B"] }, { type: "string" }], default: "A", "x-kind": "enum" },
      size: { type: ["integer", "string"], minimum: 1, maximum: 5, "x-group": "advanced", "x-kind": "integer" },
      password: { type: ["string", "number", "boolean"], writeOnly: true, "x-kind": "string" },
    }),
    required: ["name"],
    additionalProperties: false,
  });
});

const folder = process.env["SLUICE_CONFORMANCE"];
const cases = ["documents.jsonl", "eip.jsonl"].flatMap((file) =>
  folder !== undefined && existsSync(`${folder}/${file}`) ? readFileSync(`${folder}/${file}`, "utf8").trim().split("\n") : [],
);

test.skipIf(cases.length === 0)("the schema accepts every document that Camel accepts (needs SLUICE_CONFORMANCE, a folder with the conformance set)", () => {
  const rejected = cases
    .map((line) => JSON.parse(line) as { id: string; yaml: string; expect: { rejected?: boolean } })
    .filter((testCase) => testCase.expect.rejected !== true && !accepts(testCase.yaml));
  expect(rejected.map((testCase) => testCase.id)).toEqual([]);
});

test.each([
  ["{uri: timer, parameters: {timerName: t, period: 5s}, steps: [{log: x}]}", true],
  ['{uri: "timer:t", parameters: {period: "{{p}}"}, steps: [{log: x}]}', true],
  ['{uri: "timer:t", parameters: {per-iod: 5}, steps: [{log: x}]}', true],
  ['{uri: "timer:t", parameters: {perod: 5s}, steps: [{log: x}]}', false],
  ['{uri: "timers:t", parameters: {perod: 5s}, steps: [{log: x}]}', true],
  ['{uri: "{{scheme}}:t", parameters: {perod: 5s}, steps: [{log: x}]}', true],
  ['{uri: "http://host", parameters: {anything: 1}, steps: [{log: x}]}', true],
  ['{uri: "direct:a", steps: [{to: {uri: "mock:x", parameters: {cuont: 5}}}]}', false],
])("parameters are checked by their connector: %s", (from, expected) => expect(accepts(`- from: ${from}\n`)).toBe(expected));

test("the schema has an id and proposes the schemes of connectors", () => {
  expect(flowSchema["$id"]).toMatch(/^urn:/);
  expect(flowSchema["$defs"]["endpoint"].properties.uri.anyOf[0].enum).toEqual(["timer", "mock", "http"]);
  expect(flowSchema["$defs"]["connector.timer"]).toMatchObject({ properties: { period: { description: "Period." } } });
});
