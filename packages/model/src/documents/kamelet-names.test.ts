import { expect, it } from "vitest";
import { readTree } from "../read/read-tree.ts";
import type { Tree } from "../flow/tree.ts";
import { kameletNamesIn } from "./kamelet-names.ts";

const names = (text: string, values: Readonly<Record<string, string>> = {}): readonly string[] =>
  kameletNamesIn(readTree(text).tree as Tree, (name) => values[name]);

it("finds Kamelets in triggers, steps, endpoints and expressions", () => {
  const flow = `- route:
    from:
      uri: "kamelet:a-source/first?x=1"
      steps:
        - kamelet: b-action?x=1
        - kamelet: {name: c-action, parameters: {x: 1}}
        - to: kamelet://d-sink
        - to: {uri: kamelet, parameters: {templateId: e-sink}}
        - recipientList: {constant: "kamelet:f-sink,kamelet:g.v2-sink"}
        - to: "kamelet:{{which}}"
        - to: kamelet:b-action
        - to: "not-kamelet:no-sink"
`;
  expect(names(flow, { which: "h-sink" })).toEqual(["a-source", "b-action", "c-action", "d-sink", "e-sink", "f-sink", "g.v2-sink", "h-sink"]);
});

it("omits the endpoints of a template, the document's own templates, and names with unresolved placeholders", () => {
  const flow = `- routeTemplate:
    id: own
    from:
      uri: kamelet:source
      steps: [{kamelet: used-action}, {to: kamelet:sink}]
- from: {uri: direct:a, steps: [{kamelet: own}, {to: "kamelet:{{open}}"}]}
`;
  expect(names(flow)).toEqual(["used-action"]);
});

it("finds the Kamelets of a pipe, of an integration and of a Kamelet", () => {
  const ref = (name: string): string => `{ref: {kind: Kamelet, apiVersion: camel.apache.org/v1, name: ${name}}}`;
  const head = (kind: string): string => `apiVersion: camel.apache.org/v1\nkind: ${kind}\nmetadata: {name: x-action}\n`;
  expect(names(`${head("Pipe")}spec: {source: ${ref("a-source")}, steps: [${ref("b-action")}], sink: ${ref("c-sink")}}\n`)).toEqual([
    "a-source",
    "b-action",
    "c-sink",
  ]);
  expect(names(`${head("Integration")}spec: {flows: [{from: {uri: "kamelet:a-source", steps: []}}]}\n`)).toEqual(["a-source"]);
  const kamelet = `${head("Kamelet")}spec: {template: {from: {uri: "kamelet:source", steps: [{kamelet: inner-action}, {kamelet: x-action}]}}}\n`;
  expect(names(kamelet)).toEqual(["inner-action"]);
});
