// Valid flows with parts deleted, replaced and renamed: the result is accepted or rejected with positions, and nothing throws.
import { createFlowChecker } from "@sluice/server/check";
import { exampleDocument } from "@sluice/testkit";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createCatalog } from "../../packages/server/src/catalog.ts";
import { startTestServer, type StartedServer } from "../started-server.ts";

type Node = { [name: string]: Node } | Node[] | string | number | boolean | null;

const catalog = createCatalog();
const examples = [catalog.steps, catalog.languages, catalog.formats, catalog.entities, catalog.connectors, catalog.beans]
  .flatMap((declarations): { readonly examples?: readonly { readonly yaml: string }[] }[] => [...new Set<object>(declarations.values())])
  .flatMap((declaration) => (declaration.examples ?? []).map(({ yaml }) => parse(exampleDocument(yaml)) as Node));

/** Documents for parts without examples in declarations. */
const otherDocuments = [
  `
- beans: [{name: strategy, type: "#class:org.apache.camel.processor.aggregate.StringAggregationStrategy", properties: {delimiter: ","}}]
- dataFormats: [{json: {id: j}}]
- errorHandler: {deadLetterChannel: {deadLetterUri: "mock:dead", redeliveryPolicy: {maximumRedeliveries: 2}}}
- onException: {exception: [java.lang.Exception], onWhen: {simple: "\${body} == 1"}, handled: {constant: "true"}, steps: [{log: x}]}
- onCompletion: {onWhen: {simple: "\${body} == 1"}, steps: [{log: x}]}
- intercept: {steps: [{log: x}]}
- interceptFrom: {uri: "direct:*", steps: [{log: x}]}
- interceptSendToEndpoint: {uri: "mock:*", afterUri: "mock:after", steps: [{log: x}]}
- routeConfiguration: {id: c, onException: [{onException: {exception: [java.lang.Exception], handled: {constant: "true"}}}]}
- routeTemplate: {id: t, parameters: [{name: a, defaultValue: b}], from: {uri: "direct:{{a}}", steps: [{log: x}]}}
- templatedRoute: {routeTemplateRef: t, routeId: made, parameters: [{name: a, value: c}]}
- restConfiguration: {contextPath: /api}
- rest: {path: /r, get: [{path: "/{id}", to: "direct:one", param: [{name: id}]}], post: [{to: {uri: "direct:two"}}]}
- route: {id: one, routeConfigurationId: c, precondition: "true", from: {uri: "direct:one", steps: [{unmarshal: {custom: {ref: j}}}, {to: "mock:a"}]}}
- from: {uri: timer, parameters: {timerName: t, period: 1000}, steps: [{choice: {when: [{simple: "\${body} == 1", steps: [{log: a}]}], otherwise: {steps: [{log: b}]}}}]}
`,
].map((yaml) => parse(yaml) as Node);
const documents = [...examples, ...otherDocuments];

const parts: Node[] = [];
const names = new Set<string>();
function collect(node: Node): void {
  parts.push(node);
  if (Array.isArray(node)) node.forEach(collect);
  else if (typeof node === "object" && node !== null)
    for (const [name, value] of Object.entries(node)) {
      names.add(name);
      collect(value);
    }
}
documents.forEach(collect);

const junk: Node[] = [
  null,
  "",
  0,
  -1,
  1.5,
  true,
  "x",
  "{{p}}",
  "{{?p}}",
  "${body",
  "#x",
  "#class:X(false)",
  [],
  {},
  [null],
  [[]],
  [{}],
  { a: 1 },
  "direct:",
  "a b",
];

interface Change {
  readonly kind: "delete" | "replace" | "graft" | "rename" | "add";
  readonly position: number;
  readonly part: number;
  readonly name: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("delete", "replace", "graft", "rename", "add"),
  position: fc.nat(),
  part: fc.nat(),
  name: fc.nat(),
});

type Position = readonly [holder: Record<string, Node> | Node[], key: string | number];

function positionsOf(node: Node): Position[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => [[node, index] as Position, ...positionsOf(item)]);
  if (typeof node !== "object" || node === null) return [];
  return Object.keys(node).flatMap((key) => [[node, key] as Position, ...positionsOf(node[key] as Node)]);
}

function apply(node: Node, { kind, position, part, name }: Change): Node {
  const positions = positionsOf(node);
  const found = positions[position % Math.max(1, positions.length)];
  const pick = (from: readonly Node[]): Node => structuredClone(from[part % from.length] as Node);
  if (found === undefined) return pick(junk);
  const [holder, key] = found as [Record<string, Node>, string];
  const other = [...names][name % names.size] as string;
  if (kind === "replace") holder[key] = pick(junk);
  else if (kind === "graft") holder[key] = pick(parts);
  else if (Array.isArray(holder)) {
    if (kind === "delete") (holder as Node[]).splice(Number(key), 1);
    else (holder as Node[]).push(pick(parts));
  } else {
    const value = holder[key] as Node;
    if (kind !== "add") delete holder[key];
    if (kind === "rename") holder[other] = value;
    if (kind === "add") holder[other] = pick(junk);
  }
  return node;
}

const malformed = fc
  .tuple(fc.nat(documents.length - 1), fc.array(change, { minLength: 1, maxLength: 3 }))
  .map(([which, changes]) => JSON.stringify(changes.reduce(apply, structuredClone(documents[which] as Node))));

const runs = Number(process.env["SLUICE_FUZZ_RUNS"] ?? 1500);

describe("malformed flows", () => {
  const check = createFlowChecker();

  it("are accepted or rejected, and never cause a crash", { timeout: 300_000 + runs * 50 }, async () => {
    expect(documents.length).toBeGreaterThan(100);
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(malformed, async (source) => {
        const { diagnostics, deployment } = await check({ id: "f", source, property: () => undefined });
        if (deployment !== undefined) accepted++;
        expect(diagnostics.filter(({ code }) => code === "check-failed")).toEqual([]);
        for (const { message, span } of diagnostics) {
          expect(message).not.toMatch(/\[object |NaN/);
          expect(span.line).toBeGreaterThanOrEqual(1);
          expect(span.end).toBeLessThanOrEqual(source.length);
        }
        expect(deployment === undefined).toBe(diagnostics.some(({ severity }) => severity === "error"));
      }),
      { numRuns: runs },
    );
    expect(accepted).toBeGreaterThan(runs / 50);
  });
});

describe("a malformed flow sent to a runtime", () => {
  let server: StartedServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.end());

  it.each([
    ["a placeholder without a value in rest", '- rest: {path: "{{p}}", post: [{to: direct:d}]}', /no value for parameter 'p'/],
    ["an operation without a target", "- rest: {get: [{id: g}]}", /needs the option 'to'/],
    [
      "an unsupported format in dataFormats",
      "- dataFormats: [{crypto: {algorithm: AES, id: c}}]\n- from: {uri: direct:a, steps: [{log: x}]}",
      /crypto needs Java key stores/,
    ],
    ["a templated route without a template", "- templatedRoute: {parameters: [{name: a}]}", /routeTemplateRef/],
    ["a bean without a type", "- beans: [{name: a}]\n- from: {uri: direct:a, steps: [{log: x}]}", /'type'/],
  ])("%s is rejected without an internal error", async (_title, yaml, error) => {
    const put = await server.putFlow("malformed", yaml);
    expect(put.json.error).toMatch(error);
    expect([400, 422]).toContain(put.status);
    const validated = await server.api("POST", "/flows/validate", { yaml });
    expect(validated.status).toBeLessThan(500);
  });

  it("is always validated without a server error", async () => {
    await fc.assert(
      fc.asyncProperty(malformed, async (yaml) => {
        const { status, text } = await server.api("POST", "/flows/validate", { yaml });
        expect([status, text]).toEqual([expect.toSatisfy((code: number) => code < 500), expect.not.stringContaining("check-failed")]);
      }),
      { numRuns: 200 },
    );
  });
});
