import { describe, expect, test } from "vitest";
import type { FlowDocument, StepNode } from "../flow/flow-document.ts";
import { readTree } from "../read/read-tree.ts";
import { bindFlow, bindRoute } from "./bind-flow.ts";
import { sampleVocabulary } from "./sample-vocabulary.test-support.ts";

function bind(source: string, properties: Record<string, string> = {}) {
  const { tree, diagnostics } = readTree(source);
  if (tree === undefined) throw new Error(JSON.stringify(diagnostics));
  return bindFlow(tree, sampleVocabulary, { flowId: "orders", source, property: (name) => (Object.hasOwn(properties, name) ? properties[name] : undefined) });
}

function bindValid(source: string, properties?: Record<string, string>): FlowDocument {
  const { flow, diagnostics } = bind(source, properties);
  expect(diagnostics).toEqual([]);
  return flow;
}

const indent = (text: string, by: number): string => text.replaceAll(/^(?=.)/gm, " ".repeat(by));
const routeWith = (steps: string): string => `- from:\n    uri: direct:a\n    steps:\n${indent(steps, 6)}\n`;
const stepsOf = (steps: string, properties?: Record<string, string>): readonly StepNode[] => bindValid(routeWith(steps), properties).routes[0]?.steps ?? [];
const faultsOf = (source: string, properties?: Record<string, string>): string[] =>
  bind(source, properties).diagnostics.map((fault) => `${fault.span.line}: ${fault.code}: ${fault.message}`);

describe("documents", () => {
  test("an empty document defines no routes", () => {
    for (const text of ["", "# nothing\n", "---\n", "~"])
      expect(bind(text).diagnostics).toMatchObject([{ code: "flow-empty", message: "flow defines no routes" }]);
  });

  test("an empty list and a library of entities are valid", () => {
    expect(bindValid("[]").routes).toEqual([]);
    expect(
      bindValid("- beans:\n    - {name: a, type: b, properties: {size: 5}}\n    - {name: c, type: d}\n").entities.map((entity) => entity.options["name"]),
    ).toEqual(["a", "c"]);
  });

  test.each([
    ["route:\n  from: {}\n", "1: flow-shape: a flow must be a list of routes, got a mapping (write '- route:')"],
    [
      '{"yaml": "- route: {}"}',
      "1: flow-shape: a flow must be a list of routes, got a mapping (send a flow wrapped in JSON with Content-Type: application/json)",
    ],
    ["just text", "1: flow-shape: a flow must be a list of routes, got 'just text' (start each route with '- ')"],
    ["- a: 1\n  b: 2\n", "1: flow-item: an item of a flow must be a mapping with exactly one key, such as 'route', got 2 keys"],
    ["- flow: {}\n", "1: entity-unknown: unknown top-level element 'flow' (use 'route' or 'from' at the top level)"],
    ["- rout: {}\n", "1: entity-unknown: unknown top-level element 'rout' (did you mean 'route'?)"],
    ["- setBody: {constant: x}\n", "1: entity-unknown: unknown top-level element 'setBody' ('setBody' is a step: move it into the steps of a route)"],
    ["- transformers: []\n", "1: refused: 'transformers' is not available: use a step"],
    ["- route: {id: x}\n", "1: route-no-from: route 'x' has no 'from'"],
    ["- from: direct:a\n", "1: route-shape: 'from' of route 'orders' must be a mapping with 'uri' and 'steps', got 'direct:a'"],
    ["- from: {uri: direct:a}\n", "1: option-missing: 'from' of route 'orders' needs the option 'steps'"],
    ["- from: {uri: direct:a, steps: []}\n", "1: route-no-steps: route 'orders' needs at least one step"],
    ["- from: {uri: direct:a, steps: {log: x}}\n", "1: steps-shape: 'steps' in route 'orders': expected a list of steps, got a mapping"],
    [
      "- route:\n    from: {uri: direct:a, steps: [{log: x}]}\n    steps: []\n",
      "3: route-steps: 'steps' of route 'orders' is one level too high: move it under 'from'",
    ],
    ["- route:\n    from: {uri: direct:a}\n    steps: [{log: x}]\n", "3: route-steps: 'steps' of route 'orders' is one level too high: move it under 'from'"],
    [`${routeWith("- log: x")}- intercept: {steps: [{log: x}]}\n`, "5: entity-order: 'intercept' must come before the first route"],
    ["- errorHandler: {}\n", "1: error-handler-type: the error handler has no type: specify exactly one, such as deadLetterChannel"],
  ])("%j is rejected", (source, fault) => expect(faultsOf(source)).toEqual([fault]));

  test("every error is reported, in text order", () => {
    const faults = faultsOf(routeWith("- lgo: x\n- setHeader: {constant: x}\n- log: {message: x, loggingLevel: LOUD, mesage: y}"));
    expect(faults).toEqual([
      "4: step-unknown: unknown step 'lgo' in route 'orders' (did you mean 'log'?)",
      "5: option-missing: step 'setHeader' needs the option 'name'",
      "6: option-invalid: option 'loggingLevel' of step 'log': expected one of TRACE, DEBUG, INFO, WARN, ERROR, OFF, got 'LOUD'",
      "6: option-unknown: step 'log' has no option 'mesage' (did you mean 'message'?)",
    ]);
  });

  test("an error has its route, step, path and hint", () => {
    const [fault] = bind(
      "- route:\n    id: r1\n    from:\n      uri: direct:a\n      steps:\n        - filter:\n            simple: x\n            steps:\n              - log: {id: l1, mesage: y, message: z}\n",
    ).diagnostics;
    expect(fault).toMatchObject({
      routeId: "r1",
      stepId: "l1",
      path: "[0].route.from.steps[0].filter.steps[0].log.mesage",
      hint: "did you mean 'message'?",
      span: { line: 9, column: 31 },
    });
  });
});

describe("ids", () => {
  test("routes without an id use the flow's id, then numbered ids, and skip explicit ids", () => {
    const flow = bindValid(
      `${routeWith("- log: x")}- route: {id: orders-2, from: {uri: direct:b, steps: [{log: x}]}}\n${routeWith("- log: x").replace("direct:a", "direct:c")}`,
    );
    expect(flow.routes.map((route) => route.id)).toEqual(["orders", "orders-2", "orders-3"]);
  });

  test("an id keeps its source text", () => expect(bindValid("- route: {id: 007, from: {uri: direct:a, steps: [{log: x}]}}\n").routes[0]?.id).toBe("007"));

  test("a duplicate id is rejected", () => {
    const twice = "- route: {id: a, from: {uri: direct:x, steps: [{log: x}]}}\n";
    expect(faultsOf(twice + twice)).toEqual(["2: route-id-duplicate: the route id 'a' is used twice in this flow"]);
    expect(faultsOf(routeWith("- log: {id: a, message: x}\n- to: {id: a, uri: mock:x}"))).toEqual([
      "5: step-id-duplicate: the step id 'a' is used twice in route 'orders'",
    ]);
  });

  test("steps are numbered by kind across all levels, skipping explicit ids", () => {
    const steps = stepsOf(
      "- log: a\n- filter:\n    simple: x\n    steps:\n      - log: b\n      - to: mock:x\n- log: c\n- log: {id: log2, message: d}\n- to: mock:y",
    );
    const nested = steps[1]?.options["steps"] as readonly StepNode[];
    expect([...steps, ...nested].map((step) => step.id)).toEqual(["log1", "filter1", "log4", "log2", "to2", "log3", "to1"]);
  });

  test("ids of steps in an entity start with the name of the entity", () => {
    const flow = bindValid(
      "- onException:\n    exception: [java.lang.Exception]\n    steps: [{log: x}]\n- onException: {exception: java.io.IOException, steps: [{log: x}]}\n",
    );
    expect(flow.entities.map((entity) => (entity.options["steps"] as StepNode[])[0]?.id)).toEqual(["onException1-log1", "onException2-log1"]);
  });

  test("a duplicate startupOrder is rejected", () => {
    const route = (id: string) => `- route: {id: ${id}, startupOrder: 3, from: {uri: direct:${id}, steps: [{log: x}]}}\n`;
    expect(faultsOf(route("a") + route("b"))).toEqual(["2: startup-order-duplicate: routes 'a' and 'b' have the same startupOrder 3"]);
  });
});

describe("steps and options", () => {
  test("short forms are accepted, values are coerced and defaults are set", () => {
    const [log, remove, aggregate] = stepsOf(
      "- log: hi\n- removeHeaders: x*\n- aggregate:\n    aggregationStrategy: s\n    correlationExpression: {header: id}\n    completionSize: '5'\n    completionTimeout: 2s\n    eagerCheckCompletion: TRUE\n    steps: [{log: x}]",
    );
    expect(log?.options).toEqual({ message: "hi" });
    expect(remove?.options).toEqual({ pattern: "x*" });
    expect(aggregate?.options).toMatchObject({
      completionSize: 5,
      completionTimeout: 2000,
      eagerCheckCompletion: true,
      correlationExpression: { language: "header", text: "id" },
    });
  });

  test("kebab-case option names are accepted", () => {
    const [aggregate, marshal] = stepsOf(
      "- aggregate:\n    aggregation-strategy: s\n    correlation-expression: {header: id}\n    completion-size: 5\n    steps: [{log: x}]\n- marshal: {gzip-deflater: {}}",
    );
    expect(aggregate?.options).toMatchObject({ aggregationStrategy: "s", completionSize: 5, correlationExpression: { text: "id" } });
    expect(Object.values(marshal?.options ?? {})).toMatchObject([{ name: "gzipDeflater" }]);
  });

  test("an expression that is an optional placeholder without value is empty", () => {
    const [choice] = stepsOf("- choice: {when: [{simple: '{{?nothing}}', steps: [{log: a}]}]}");
    expect(choice?.options["when"]).toMatchObject([{ expression: { language: "simple", text: "" } }]);
  });

  test.each([
    [
      "- aggregate: {aggregationStrategy: s, correlationExpression: {header: id}, completion-size: 1, completionSize: 2, steps: [{log: x}]}",
      "step 'aggregate' has the option 'completionSize' twice: keep one of them",
    ],
    ["- stop", "a step in route 'orders' must be a mapping, got 'stop' (write 'stop: {}')"],
    ["- stop:", "step 'stop' in route 'orders' needs a mapping, got nothing (write 'stop: {}' with its options inside the braces or on lines below)"],
    ["- setBody: x", "step 'setBody' in route 'orders' needs a mapping, got 'x' (write 'setBody: {simple: …}')"],
    ["- setBody: {}", "step 'setBody' needs an expression, such as 'simple: …'"],
    ["- setBody: {simple: a, constant: b}", "step 'setBody' has more than one expression: keep one of them"],
    [
      "- setBody: {klingon: a}",
      "unknown language 'klingon' in step 'setBody' (known: constant, exchangeProperty, header, jq, jsonpath, language, ref, simple, tokenize, variable, xpath)",
    ],
    ["- setBody: {smple: a}", "unknown language 'smple' in step 'setBody' (did you mean 'simple'?)"],
    [
      "- setBody: {simple: a, klingon: b}",
      "step 'setBody' has no option 'klingon' (allowed: asyncDelayed, callerRunsWhenRejected, comparator, correlationExpression, description, disabled, expression, id, mode, note, rejectExecution, timePeriodMillis, totalRequestsMode)",
    ],
    ["- setBody: {groovy: a}", "the language 'groovy' is not available: use 'simple' or 'jq'"],
    ["- setBody: {expression: {klingon: a}}", "unknown language 'klingon' in step 'setBody'"],
    ["- setBody: {expression: a}", "step 'setBody': expected an expression, got 'a' (write {simple: …})"],
    ["- setBody: {simple: {expresion: a}}", "language 'simple' needs 'expression', the text of the expression"],
    ["- setBody: {simple: {expression: a, pretty: 123}}", "option 'pretty' of language 'simple': expected true or false, got '123'"],
    ["- setBody: {simple: [a]}", "language 'simple': expected a string, got a list"],
    ["- setBody: {language: {language: klingon, expression: a}}", "unknown language 'klingon'"],
    [
      "- split: {tokenize: {expression: a, token: b}, steps: [{log: x}]}",
      "language 'tokenize' has no option 'expression' (allowed: endToken, group, groupDelimiter, id, includeTokens, inheritNamespaceTagName, regex, resultType, skipFirst, source, token, trim, xml)",
    ],
    ["- set-body: {simple: a}", "names such as 'set-body' were removed in Camel 4.13 (write 'setBody')"],
    ["- simple: a", "unknown step 'simple' in route 'orders' (did you mean 'sample'?)"],
    [
      "- exchangeProperty: a",
      "unknown step 'exchangeProperty' in route 'orders' ('exchangeProperty' is an expression language: use it inside a step, e.g. setBody: {exchangeProperty: …})",
    ],
    ["- bean: {ref: a}", "the step 'bean' calls Java code and is not available: use a connector"],
    ["- marshal: {}", "step 'marshal' needs a data format, such as 'json: {}'"],
    [
      "- marshal: {papyrus: {}}",
      "unknown data format 'papyrus' in step 'marshal' (known: base64, csv, custom, gzipDeflater, jacksonXml, json, yaml, zipDeflater, zipFile)",
    ],
    ["- marshal: {json: {}, csv: {}}", "step 'marshal' has more than one data format: keep one of them"],
    ["- marshal: {json: {prettyprint: true}}", "data format 'json' has no option 'prettyprint' (did you mean 'prettyPrint'?)"],
    ["- marshal: {json: }", "data format 'json' needs a mapping, got nothing (write 'json: {}')"],
    ["- to: {uri: 'mock:a?x=1', parameters: {y: 2}}", "step 'to' has options both in its 'uri' and in 'parameters': keep one of them"],
    ["- to: {uri: mock, parameters: {name: [a]}}", "'name' in option 'parameters' of step 'to': expected a string, got a list"],
    ["- to: {uri: ''}", "option 'uri' of step 'to': expected an endpoint URI, got ''"],
    ["- log: [a]", "step 'log' in route 'orders' needs a mapping, got a list (write 'log: {}' with its options inside the braces or on lines below)"],
    ["- log: {message: {a: b}}", "option 'message' of step 'log': expected a value, got a mapping"],
    [
      "- setBody: {simple: a}\n  log: b",
      "a step in route 'orders' must be a mapping with exactly one key, got 2 keys (indent 'log' below 'setBody', or start it with '- ')",
    ],
    ["- choice: {when: [{steps: [{log: x}]}]}", "option 'when' of step 'choice' needs an expression, such as 'simple: …'"],
    ["- choice: {when: {simple: x}}", "option 'when' of step 'choice': expected a list, got a mapping"],
    ["- doTry: {steps: [{log: x}], doCatch: [{steps: [{log: x}]}]}", "option 'doCatch' of step 'doTry' needs the option 'exception'"],
    ["- __proto__: {a: b}", "unknown step '__proto__' in route 'orders'"],
    [
      "- log: {message: x, constructor: {prototype: {polluted: 1}}}",
      "step 'log' has no option 'constructor' (allowed: description, disabled, id, logLanguage, logName, logger, loggingLevel, marker, message, note)",
    ],
  ])("%s is rejected", (steps, message) => {
    expect(bind(routeWith(steps)).diagnostics.map((fault) => fault.message)).toEqual([message]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("a bare boolean for an expression is rejected with a hint", () => {
    const [fault] = bind("- onException: {exception: [a], handled: true, steps: [{log: x}]}\n").diagnostics;
    expect(fault).toMatchObject({ code: "expression-shape", hint: 'write {constant: "true"}' });
  });

  test.each([
    "setBody: {simple: hi}",
    "setBody: {simple: {expression: hi}}",
    "setBody: {expression: {simple: hi}}",
    "setBody: {expression: {simple: {expression: hi}}}",
  ])("%s is bound to the same expression", (step) => {
    expect(stepsOf(`- ${step}`)[0]?.options["expression"]).toMatchObject({ language: "simple", text: "hi" });
  });

  test("options of a language are passed as text", () => {
    const [first, second] = stepsOf(
      "- setBody: {constant: {expression: 007, resultType: int, trim: FALSE}}\n- setBody: {xpath: {expression: /a, namespace: [{key: p, value: u}]}}",
    );
    expect(first?.options["expression"]).toMatchObject({ language: "constant", text: "007", options: { resultType: "int", trim: "false" } });
    expect((second?.options["expression"] as { options: Record<string, string> }).options["namespace"]).toBe('[{"key":"p","value":"u"}]');
  });

  test("the words null and ~ are expressions, a missing value is not", () => {
    expect(stepsOf("- setBody: {constant: null}")[0]?.options["expression"]).toMatchObject({ text: "null" });
    expect(stepsOf("- setBody: {constant: ''}")[0]?.options["expression"]).toMatchObject({ text: "" });
    expect(bind(routeWith("- setBody: {constant: }")).diagnostics.map((fault) => fault.message)).toEqual([
      "language 'constant': expected a string, got nothing",
    ]);
  });

  test("formats keep their options and their name", () => {
    const flow = bindValid(
      `- dataFormats:\n    - csv: {id: c1, delimiter: ";"}\n${routeWith("- marshal: {csv: {header: [a, b], useMaps: true}}\n- unmarshal: {custom: {ref: c1}, allowNullBody: true}")}`,
    );
    expect(flow.entities[0]?.options["dataFormat"]).toMatchObject({ name: "csv", options: { id: "c1", delimiter: ";" } });
    expect(flow.routes[0]?.steps[0]?.options["dataFormat"]).toMatchObject({ name: "csv", options: { header: ["a", "b"], useMaps: true } });
    expect(flow.routes[0]?.steps[1]?.options).toMatchObject({ dataFormat: { name: "custom" }, allowNullBody: true });
  });

  test("a string for a list of strings is split at commas", () => {
    expect(bindValid("- onException: {exception: 'a, b', steps: [{log: x}]}\n").entities[0]?.options["exception"]).toEqual(["a", "b"]);
  });

  test("a disabled step and its children are omitted but still checked", () => {
    expect(
      stepsOf("- log: a\n- filter: {simple: x, disabled: true, steps: [{log: {id: same, message: b}}]}\n- log: {id: same, message: c}\n- log: d").map(
        (step) => step.id,
      ),
    ).toEqual(["log1", "same", "log2"]);
    expect(bind(routeWith("- log: a\n- filter: {disabled: true, simple: x, steps: [{lgo: b}]}")).diagnostics.map((fault) => fault.code)).toEqual([
      "step-unknown",
    ]);
    expect(
      stepsOf("- choice:\n    when:\n      - {simple: a, disabled: true, steps: [{log: a}]}\n      - {simple: b, steps: [{log: b}]}")[0]?.options["when"],
    ).toHaveLength(1);
  });
});

describe("flow mode", () => {
  const names = (steps: readonly StepNode[]): unknown[] =>
    steps.map((step) => (step.options["steps"] === undefined ? step.name : [step.name, names(step.options["steps"] as StepNode[])]));

  test("a block without steps adopts the following steps, repeatedly", () => {
    expect(names(stepsOf("- log: a\n- filter: {simple: x}\n- log: b\n- split: {tokenize: ',', steps: []}\n- log: c"))).toEqual([
      "log",
      ["filter", ["log", ["split", ["log"]]]],
    ]);
  });

  test("a block with steps, or at the end, adopts nothing", () => {
    expect(names(stepsOf("- filter: {simple: x, steps: [{log: a}]}\n- log: b\n- pipeline: {}"))).toEqual([["filter", ["log"]], "log", ["pipeline", []]]);
  });

  test("adoption depth is limited", () => {
    const faults = bind(routeWith("- filter: {simple: x}\n".repeat(1500))).diagnostics;
    expect(faults.map((fault) => fault.code)).toEqual(["limit"]);
  });
});

describe("placeholders", () => {
  test("placeholders are resolved in ids, URIs, parameters, expressions, names and options", () => {
    const flow = bindValid(
      `- route:\n    id: "{{id}}"\n    from:\n      uri: "direct:{{entry:start}}"\n      steps:\n        - setHeader: {name: "{{n}}", simple: "{{greet}} \${body}"}\n        - to: {uri: mock, parameters: {name: "{{n}}", block: "{{?blk}}"}}\n        - log: {message: x, loggingLevel: "{{?level}}"}\n        - to: {uri: mock:off, disabled: "{{off}}"}\n`,
      { id: "r", n: "N", greet: "Hi", off: "true" },
    );
    const [route] = flow.routes;
    expect(route).toMatchObject({ id: "r", from: { uri: "direct:start" } });
    expect(route?.steps[0]?.options).toMatchObject({ name: "N", expression: { text: "Hi ${body}" } });
    expect({ ...(route?.steps[1]?.options["parameters"] as object) }).toEqual({ name: "N" });
    expect(route?.steps[2]?.options).toEqual({ message: "x" });
    expect(route?.steps).toHaveLength(3);
  });

  test("a missing value is reported with its line", () => {
    expect(faultsOf(routeWith("- log: x\n- to: 'http:{{erp.url}}/x'"))).toEqual(["5: placeholder-unresolved: no value for parameter 'erp.url'"]);
  });

  test("a required option dropped by {{?name}} is reported as missing", () => {
    expect(faultsOf(routeWith("- to: {uri: '{{?nowhere}}'}"))).toEqual(["4: option-missing: step 'to' needs the option 'uri'"]);
  });

  test("the names used are reported", () => {
    expect(bind(routeWith("- to: 'mock:{{a}}'\n- log: '{{b:x}} {{env:HOME:y}}'"), { a: "{{c}}", c: "d" }).usedProperties).toEqual(["a", "c", "b", "env:HOME"]);
  });
});

describe("templates", () => {
  const source =
    "- routeTemplate:\n    id: t\n    parameters: [{name: q}]\n    from:\n      uri: 'direct:{{q}}'\n      steps:\n        - delay: {constant: '{{wait}}'}\n        - log: {message: x, loggingLevel: '{{level}}'}\n";

  test("a template's body is not bound until it is instantiated", () => {
    const { flow, diagnostics } = bind(source);
    expect(diagnostics).toEqual([]);
    expect(Object.keys(flow.entities[0]?.options ?? {})).toEqual(["tree"]);
  });

  test("the route of a template can be bound with other values, or checked without values", () => {
    const body = bind(source).flow.entities[0]?.options["tree"] as Extract<Parameters<typeof bindRoute>[0], { type: "map" }>;
    const from = { ...body, entries: body.entries.filter((entry) => entry.key === "from") };
    const values: Record<string, string> = { q: "in", wait: "5", level: "WARN" };
    const bound = bindRoute(from, sampleVocabulary, { flowId: "orders", source, routeId: "created", property: (name) => values[name] });
    expect(bound.diagnostics).toEqual([]);
    expect(bound.route).toMatchObject({ id: "created", from: { uri: "direct:in" } });
    const checked = bindRoute(from, sampleVocabulary, { flowId: "orders", source, routeId: "created", property: () => undefined, unresolved: "keep" });
    expect(checked.diagnostics).toEqual([]);
    expect(checked.usedProperties).toEqual(["q", "wait", "level"]);
  });
});

test("messages have a maximum length, whatever the author wrote", () => {
  const long = "x".repeat(1000);
  for (const source of [
    routeWith(`- ${long}: {}`),
    routeWith(`- log: {message: x, loggingLevel: ${long}}`),
    routeWith(`- log: {message: x, ${long}: y}`),
    `- ${long}: x\n`,
    routeWith(`- to: '{{${long}}}'`),
  ]) {
    const [fault] = bind(source).diagnostics;
    expect(fault?.message.length).toBeLessThanOrEqual(450);
  }
});

test.each([
  ["choice: {when: [{simple: a, steps: [{log: x}]}], otherwise: {disabled: true, steps: [{log: y}]}}", "otherwise"],
  ["doTry: {steps: [{log: x}], doFinally: {disabled: 'true', steps: [{log: y}]}}", "doFinally"],
  ["circuitBreaker: {steps: [{log: x}], onFallback: {disabled: true, steps: [{log: y}]}}", "onFallback"],
])("a disabled block is not part of the flow: %s", (text, block) => {
  const [step, after] = stepsOf(`- ${text}\n- log: z`);
  expect(step?.options).not.toHaveProperty(block);
  expect(after?.id).toBe("log2");
});
