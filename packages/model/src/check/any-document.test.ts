import fc from "fast-check";
import { expect, test } from "vitest";
import { readTree } from "../read/read-tree.ts";
import { bindFlow } from "./bind-flow.ts";
import { sampleVocabulary } from "./sample-vocabulary.test-support.ts";

const words = [
  ...[
    "- route:",
    "- from:",
    "- onException:",
    "- beans:",
    "- errorHandler:",
    "- routeTemplate:",
    "uri: direct:a",
    "steps:",
    "steps: []",
    "id: x",
    "from:",
    "when:",
    "otherwise:",
    "doCatch:",
    "exception: [a]",
  ],
  ...[
    "- log: x",
    "- setBody:",
    "- choice:",
    "- filter:",
    "- marshal:",
    "- to:",
    "- stop",
    "- stop: {}",
    "simple: x",
    "constant: {expression: y}",
    "expression: {simple: z}",
    "json: {}",
    "disabled: true",
    "parameters: {a: [b]}",
  ],
  ...["__proto__: {a: b}", "constructor: x", "message: '{{a}}'", "message: '{{a:{{b}}'", "- &a {log: x}", "- *a", "~", "- ", "? x", "[]", "{}", "'text'"],
];
const line = fc.tuple(fc.integer({ min: 0, max: 8 }), fc.constantFrom(...words)).map(([depth, word]) => "  ".repeat(depth) + word);

test("reading and binding never throw, and every error has a position", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 25 }), (lines) => {
      const source = lines.join("\n");
      const { tree, diagnostics } = readTree(source);
      const faults = tree === undefined ? diagnostics : bindFlow(tree, sampleVocabulary, { flowId: "f", source, property: () => undefined }).diagnostics;
      for (const { message, span } of faults) {
        expect(message).not.toMatch(/undefined|\[object|NaN/);
        expect(span.line).toBeGreaterThanOrEqual(1);
        expect(span.end).toBeLessThanOrEqual(source.length);
      }
    }),
    { numRuns: 400 },
  );
});

test("any well-formed tree is bound or rejected without throwing", () => {
  const scalar = fc.constantFrom("x", "true", "5", "null", "''", "'{{a}}'", "direct:a", "[]", "{}");
  const key = fc.constantFrom(
    "log",
    "setBody",
    "simple",
    "expression",
    "steps",
    "when",
    "choice",
    "filter",
    "json",
    "marshal",
    "uri",
    "parameters",
    "id",
    "disabled",
    "from",
    "route",
    "onException",
    "exception",
    "handled",
    "doTry",
    "doCatch",
  );
  const { node } = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 6 },
      scalar,
      fc.array(tie("node"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc
        .uniqueArray(fc.tuple(key, tie("node")), { maxLength: 3, selector: ([name]) => name })
        .map((entries) => `{${entries.map(([name, value]) => `${name}: ${value}`).join(", ")}}`),
    ),
  }));
  const shapes = fc.constantFrom(
    "- route: {from: {uri: a, steps: [?]}}",
    "- from: ?",
    "- route: ?",
    "- onException: ?",
    "- {from: {uri: a, steps: [{setBody: ?}]}}",
    "- from: {uri: a, steps: [{choice: ?}]}",
    "- from: {uri: a, steps: [{marshal: ?}, {log: ?}]}",
    "?",
  );
  let bound = 0;
  fc.assert(
    fc.property(shapes, node, (shape, text) => {
      const source = shape.replaceAll("?", () => text);
      const { tree } = readTree(source);
      if (tree === undefined) return;
      bound++;
      for (const { message } of bindFlow(tree, sampleVocabulary, { flowId: "f", source, property: () => undefined }).diagnostics)
        expect(message).not.toMatch(/undefined|\[object|NaN/);
    }),
    { numRuns: 800 },
  );
  expect(bound).toBeGreaterThan(650);
});
