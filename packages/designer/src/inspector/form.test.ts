import { describe, expect, test } from "vitest";
import { readTree, type CatalogView, type Edit, type OptionView, type Tree } from "@sluice/model";
import { FlowCatalog } from "../catalog/flow-catalog.ts";
import { applyCompletion, namesIn, suggestionsAt } from "./completions.ts";
import { changeLanguage, locateExpression, removeExpression, writeExpression } from "./expression-location.ts";
import { problemAt, nestedScope, removeValue, textAt, valueAt, writeText, type FormScope } from "./form-scope.ts";

const language = (name: string, textKey = "expression") => ({ name, textKey, options: [] });
const catalog = new FlowCatalog({
  common: [],
  route: [],
  from: [],
  steps: [],
  connectors: [],
  languages: [language("simple"), language("constant"), language("tokenize", "token")],
  formats: [],
  entities: [],
  beans: [],
  refused: {},
} as unknown as CatalogView);
const option = (name: string, inline: boolean): OptionView => ({
  name,
  kind: "expression",
  type: "object",
  doc: "",
  required: true,
  group: "common",
  secret: false,
  inline,
});

function scope(text: string, path: readonly (string | number)[], shorthand?: string): FormScope {
  return {
    fields: {},
    catalog,
    tree: readTree(text).tree as Tree,
    path,
    outermost: path.length,
    problems: [{ severity: "error", line: 2, column: 1, routeId: null, stepId: null, code: "x", message: "wrong here" }],
    role: "sink",
    shorthands: shorthand === undefined ? new Map() : new Map([[path.length, shorthand]]),
  };
}

const textAfter = (edit: Edit): string => (edit.ok ? edit.source : edit.reason);

describe("an option", () => {
  test("may be the bare scalar of its step until another option is set", () => {
    const text = "- log: hello # said\n";
    const form = scope(text, [0, "log"], "message");
    expect([textAt(form, "message"), textAt(form, "id")]).toEqual(["hello", undefined]);
    expect(textAfter(writeText(form, "message", "bye")(text))).toBe("- log: bye # said\n");
    expect(textAfter(writeText(form, "id", "x")(text))).toBe("- log:\n    message: hello # said\n    id: x\n");
  });

  test("creates missing mappings and removes them with the last option", () => {
    const text = "- to: direct:a\n";
    const form = scope(text, [0, "to"], "uri");
    const after = textAfter(writeText(nestedScope(form, "parameters"), "timeout", "5")(text));
    expect(after).toBe("- to:\n    uri: direct:a\n    parameters:\n      timeout: 5\n");
    expect(textAfter(removeValue(nestedScope(scope(after, [0, "to"], "uri"), "parameters"), "timeout")(after))).toBe("- to:\n    uri: direct:a\n");
  });

  test("shows the error of its lines", () => {
    const text = "- log:\n    message: a\n    id: b\n";
    const form = scope(text, [0, "log"]);
    expect(problemAt(form, valueAt(form, "message"))).toBe("wrong here");
    expect(problemAt(form, valueAt(form, "id"))).toBeUndefined();
  });
});

describe("an expression", () => {
  test.each([
    ["next to the options", "- filter:\n    simple: a # c\n    steps: []\n", true, "- filter:\n    simple: b # c\n    steps: []\n"],
    ["inside expression", "- filter:\n    expression:\n      simple: a\n", true, "- filter:\n    expression:\n      simple: b\n"],
    [
      "with options of the language",
      "- filter:\n    simple:\n      expression: a\n      trim: false\n",
      true,
      "- filter:\n    simple:\n      expression: b\n      trim: false\n",
    ],
    ["under its own key", "- filter:\n    key:\n      simple: a\n", false, "- filter:\n    key:\n      simple: b\n"],
  ])("is found and replaced %s", (_, text, inline, after) => {
    const form = scope(text, [0, "filter"]);
    const location = locateExpression(form, option(inline ? "expression" : "key", inline));
    expect([location.language, location.text]).toEqual(["simple", "a"]);
    expect(textAfter(writeExpression(form, location, "b")(text))).toBe(after);
  });

  test("keeps its text when the language changes, even where the text has another key", () => {
    const text = "- split:\n    simple:\n      expression: a # c\n";
    const form = scope(text, [0, "split"]);
    const location = locateExpression(form, option("expression", true));
    expect(textAfter(changeLanguage(form, location, "tokenize")(text))).toBe("- split:\n    tokenize:\n      token: a # c\n");
    expect(textAfter(changeLanguage(form, locateExpression(scope("- split: {}\n", [0, "split"]), option("expression", true)), "simple")("- split: {}\n"))).toBe(
      '- split:\n    simple: ""\n',
    );
  });

  test("is removed with its own key if it has one", () => {
    const text = "- aggregate:\n    key:\n      simple: a\n    size: 3\n";
    const form = scope(text, [0, "aggregate"]);
    const location = locateExpression(form, option("key", false));
    expect(textAfter(removeExpression(form, option("key", false), location)(text))).toBe("- aggregate:\n    size: 3\n");
  });
});

describe("suggestions", () => {
  const names = namesIn(
    readTree("- setHeader: {name: kind, simple: a}\n- setVariables:\n    variables:\n      - {name: total, constant: 1}\n- log: {name: no}\n").tree as Tree,
  );

  const simple = { language: "simple", names, data: undefined };

  test("contain the names set by the flow", () => {
    expect(simple.names).toEqual({ header: ["kind"], variable: ["total"], exchangeProperty: [] });
    expect(suggestionsAt("a ${header.k", 12, simple)?.items.map(({ text }) => text)).toEqual(["header.kind"]);
  });

  test("appear only inside an open `${`", () => {
    expect(suggestionsAt("body", 4, simple)).toBeUndefined();
    expect(suggestionsAt("${body} b", 9, simple)).toBeUndefined();
    expect(suggestionsAt("${bo", 4, simple)).toMatchObject({ start: 2, items: expect.arrayContaining([{ text: "body", doc: expect.any(String) }]) });
  });

  test("complete the typed text and close the brace, unless more input is required", () => {
    expect(applyCompletion("simple", "x ${bo y", 6, 4, { text: "body", doc: "" })).toEqual({ text: "x ${body} y", caret: 9 });
    expect(applyCompletion("simple", "${bo}", 4, 2, { text: "body", doc: "" })).toEqual({ text: "${body}", caret: 7 });
    expect(applyCompletion("simple", "${he", 4, 2, { text: "header.", doc: "" })).toEqual({ text: "${header.", caret: 9 });
    expect(applyCompletion("simple", "${body.or", 9, 7, { text: "order", doc: "", isDeep: true })).toEqual({ text: "${body.order}", caret: 12 });
    expect(applyCompletion("jq", ".or", 3, 1, { text: "order", doc: "" })).toEqual({ text: ".order", caret: 6 });
  });
});
