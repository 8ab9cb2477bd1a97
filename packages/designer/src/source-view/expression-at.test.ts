import { expect, test } from "vitest";
import { expressionAt } from "./expression-at.ts";

test.each([
  ["        - setBody: {jq: .order.t", { language: "jq", column: 24 }],
  ['            simple: "${body.order.t', { language: "simple", column: 21 }],
  ["            simple: ${body} and\n", undefined],
  ["    jsonpath: |\n      $.order.t", { language: "jsonpath", column: 6 }],
  ["    jsonata:\n      expression: order.t", { language: "jsonata", column: 18 }],
  ["    jq:\n      expression: |\n        .order.t", { language: "jq", column: 8 }],
  ["        - log: total ${body.order.t", { language: "simple", column: 0 }],
  ["        - log: total", undefined],
])("finds the language of %j", (text, expected) => expect(expressionAt(text.split("\n"))).toEqual(expected));
