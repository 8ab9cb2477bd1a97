import { describe, expect, it } from "vitest";
import { diagnosticsOf, flow } from "@sluice/testkit";

const template = `
- routeTemplate:
    id: greet
    parameters:
      - {name: greeting, defaultValue: Hello}
      - {name: mark}
    from:
      uri: direct:source
      steps:
        - setBody: {simple: "{{greeting}} \${body}{{mark}}"}
`;
const using = (kamelet: string): string => `${template}
- from:
    uri: direct:start
    steps:
      - kamelet: ${kamelet}
      - setBody: {simple: "<\${body}>"}
`;

describe("kamelet", () => {
  it("runs the template's steps with defaults and parameters, then the route continues", async () => {
    const run = await flow(using('{name: greet, parameters: {mark: "!"}}'));
    expect((await run({ body: "Ada" })).body).toBe("<Hello Ada!>");
  });

  it("reads parameters from the query of the name", async () => {
    const run = await flow(using('"greet?greeting=Hi&mark=%3F"'));
    expect((await run({ body: "Ada" })).body).toBe("<Hi Ada?>");
  });

  it.each([
    ["'kamelet:greet?greeting=Hi&mark=%21'", "<Hi Ada!>"],
    ["{uri: 'kamelet:greet', parameters: {mark: '?'}}", "<Hello Ada?>"],
    ["{uri: 'kamelet:greet/first', parameters: {mark: '?'}}", "<Hello Ada?>"],
    ["{uri: kamelet, parameters: {templateId: greet, mark: '.'}}", "<Hello Ada.>"],
    ["{uri: 'kamelet:greet', parameters: {mark: '!'}, variableReceive: reply}", "<Ada>"],
  ])("can be used as a target: to: %s", async (to, expected) => {
    const run = await flow(using("x").replace("- kamelet: x", `- to: ${to}`));
    expect((await run({ body: "Ada" })).body).toBe(expected);
  });

  it.each([
    ["%", "<Hi Ada%>"],
    ["%E0", "<Hi Ada%E0>"],
    ["%zz+%3D", "<Hi Ada%zz =>"],
    ["a=b", "<Hi Adaa=b>"],
    ["RAW(1&2)", "<Hi Ada1&2>"],
  ])("accepts special characters in the value of a parameter: mark=%s", async (mark, expected) => {
    for (const step of [`kamelet: {name: "greet?greeting=Hi&mark=${mark}"}`, `to: "kamelet:greet?greeting=Hi&mark=${mark}"`]) {
      const run = await flow(using("x").replace("kamelet: x", step));
      expect((await run({ body: "Ada" })).body).toBe(expected);
    }
  });

  it("reports an invalid query", () => {
    expect(diagnosticsOf(using("'greet?mark=1&greeting'"))).toEqual(["14: the query of Kamelet 'greet' is not valid: the option 'greeting' has no value"]);
    expect(diagnosticsOf(using("'greet?mark=1&&greeting=2'"))).toEqual(["14: the query of Kamelet 'greet' is not valid: it contains '&&'"]);
  });

  it("names the missing template of an endpoint", () => {
    expect(diagnosticsOf(using("x").replace("- kamelet: x", "- to: kamelet:missing"))).toEqual([
      expect.stringContaining("unknown route template or Kamelet 'missing'"),
    ]);
  });

  it("can be used twice in one route: the ids of its steps distinguish the uses", async () => {
    const run = await flow(
      using('{name: greet, parameters: {mark: "!"}}').replace(
        '      - setBody: {simple: "<',
        '      - kamelet: {name: greet, parameters: {mark: "?"}}\n      - setBody: {simple: "<',
      ),
    );
    expect((await run({ body: "Ada" })).body).toBe("<Hello Hello Ada!?>");
    expect(run.runtime.routes.get("test")?.steps.map(({ node }) => node.id)).toEqual([
      "kamelet1",
      "kamelet1-setBody1",
      "kamelet2",
      "kamelet2-setBody1",
      "setBody1",
    ]);
  });

  it("a templated route with a missing option is reported and not compiled", () => {
    const yaml = '- routeTemplate: {id: t, from: {uri: "direct:t", steps: [{to: {uri: "{{?a}}"}}]}}\n- templatedRoute: {routeTemplateRef: t}\n';
    expect(diagnosticsOf(yaml)).toEqual(["1: step 'to' needs the option 'uri'"]);
  });

  it("names the missing template or parameter", () => {
    expect(diagnosticsOf(using("{name: gret}"))).toEqual(["14: unknown route template or Kamelet 'gret' (did you mean 'greet'?)"]);
    expect(diagnosticsOf(using("{name: greet}"))).toEqual(["14: template 'greet' needs a value for parameter 'mark'"]);
  });
});
