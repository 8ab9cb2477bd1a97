// All errors of a flow are reported at once, whichever phase finds them, including errors in route templates.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());

async function problems(yaml: string): Promise<readonly string[]> {
  const { json } = await server.api("POST", "/flows/validate", { yaml });
  return json.problems.map(({ line, code }: { line: number; code: string }) => `${line} ${code}`);
}

const mixed = `- route:
    id: mixed
    from:
      uri: nosuch:start
      steps:
        - lgo: x
        - log: {message: x, unknownOption: 1}
        - to: "{{missing.placeholder}}"
        - to: jpa:orders
        - choice:
            unknownOption: 1
            when:
              - simple: "\${body} == "
                steps:
                  - to: wrong:x
        - setBody:
            simple: "\${nofunction("
        - filter: {}
        - toD: "direct:x?bad=1"
- route: {id: second, from: {uri: "timer:x?period=abc", steps: [{unmarshal: {nosuchformat: {}}}]}}
`;

describe("errors of all phases", () => {
  it("validate lists errors of structure, placeholders, connectors and expressions together", async () => {
    const found = await problems(mixed);
    const lines = found.map((entry) => Number(entry.split(" ")[0]));
    for (const line of [4, 6, 7, 8, 9, 11, 13, 15, 17, 18, 20]) expect(lines, `line ${line} of ${found.join("\n")}`).toContain(line);
    expect(found).toContain("9 connector-refused");
    expect(found).toContain("15 connector-unknown");
    // One error per position: consequences of another error are not reported again.
    expect(found.filter((entry) => entry.startsWith("8 ") || entry.startsWith("18 "))).toHaveLength(2);
  });

  it("lists all errors of an endpoint, each on its line", async () => {
    const found = await problems(`- from:
    uri: timer
    parameters:
      timerName: x
      period: often
      repeatCount: many
      delai: 5
    steps:
      - to: "log:x?showAl=true&marker=a&level=LOUD"
      - to:
          uri: http://localhost
          parameters:
            responseTimeout: often
            connectTimeout: never
`);
    expect(found).toEqual([
      "5 endpoint-option-invalid",
      "6 endpoint-option-invalid",
      "7 endpoint-option-unknown",
      "9 endpoint-option-unknown",
      "9 endpoint-option-invalid",
      "13 endpoint-option-invalid",
      "14 endpoint-option-invalid",
    ]);
  });

  it("a missing connection is reported where it is referenced", async () => {
    const flow = (reference: string) => `- from:
    uri: timer:x
    steps:
      - to:
          uri: sql
          parameters:
            query: select 1
            dataSource: "${reference}"
`;
    for (const reference of ["orders", "#orders", "#bean:orders"]) expect(await problems(flow(reference)), reference).toEqual(["8 connection-missing"]);
  });

  it("PUT reports several errors in one message", async () => {
    const { status, json } = await server.putFlow("mixed", "- route: {id: m, from: {uri: webhook, steps: [{lgo: x}, {to: 'wrong:x'}, {to: '{{gone}}'}]}}\n");
    expect(status).toBe(422);
    expect(json.error).toContain("unknown step 'lgo'");
    expect(json.error).toContain("unknown connector 'wrong'");
    expect(json.error).toContain("no value for parameter 'gone'");
  });

  it.each([
    ["a structural error", "log: {message: x, nope: 1}"],
    ["an empty step", "to: {}"],
    ["an expression without text", "setBody: {}"],
    ["a choice without branches", "choice: {when: [{steps: [{log: x}]}]}"],
    ["a loop without a count", "loop: {steps: [{log: x}]}"],
    ["an aggregate without options", "aggregate: {steps: [{log: x}]}"],
    ["a doTry without steps", "doTry: {doCatch: [{}]}"],
    ["an unknown step", "nope: {}"],
  ])("%s does not hide the next error", async (_name, step) => {
    const found = await problems(`- route:\n    id: r\n    from:\n      uri: webhook\n      steps:\n        - ${step}\n        - to: wrong:x\n`);
    expect(found.filter((entry) => entry.startsWith("6 ")).length, found.join()).toBeGreaterThan(0);
    expect(found).toContain("7 connector-unknown");
  });
});

const template = (from: string, ...steps: readonly string[]): string => `- routeTemplate:
    id: shared
    parameters:
      - {name: target}
      - {name: level, defaultValue: INFO}
    from:
      uri: ${from}
      steps:
${steps.map((step) => `        - ${step}`).join("\n")}
`;

describe("route templates", () => {
  it.each([
    ["jpa:x", "log: x", "7 connector-refused"],
    ["nosuch:x", "log: x", "7 connector-unknown"],
    ["direct:source", "to: nosuch:x", "9 connector-unknown"],
    ["direct:source", "lgo: x", "9 step-unknown"],
    ["kamelet:source", 'setBody: {simple: "${nofunction("}', "9 "],
    ["direct:source", "log: {message: x, nope: 1}", "9 "],
    ["direct:source", 'to: {uri: "nosuch:x", parameters: {a: "{{target}}"}}', "9 connector-unknown"],
  ])("a template from %s with %s has an error", async (from, step, expected) => {
    const found = await problems(template(from, step));
    expect(
      found.some((entry) => entry.startsWith(expected)),
      found.join(),
    ).toBe(true);
    expect((await server.putFlow("library", template(from, step))).status).toBe(422);
  });

  it.each([
    ["direct:{{target}}", "log: x"],
    ['"{{target}}"', "log: x"],
    ["timer:x?period={{target}}", "log: x"],
    ["kamelet:source", "to: kamelet:sink"],
    ["direct:source", 'to: "{{target}}"'],
    ["direct:source", 'to: {uri: "{{target}}"}'],
    ["direct:source", 'to: {uri: "seda:x", parameters: {size: "{{target}}"}}'],
    ["direct:source", 'log: {message: x, loggingLevel: "{{target}}"}'],
    ["direct:source", 'log: {message: x, loggingLevel: "{{level}}"}'],
    ["direct:source", 'delay: {constant: "{{target}}"}'],
    ["direct:source", 'setBody: {simple: "{{target}}"}'],
    ["direct:source", 'filter: {simple: "${body} == {{target}}", steps: [{log: "{{undeclared}}"}]}'],
    [
      "direct:source",
      'aggregate: {aggregationStrategy: "{{target}}", correlationExpression: {constant: true}, completionSize: "{{target}}", steps: [{log: x}]}',
    ],
    ["direct:source", 'split: {simple: "${body}", parallelProcessing: "{{target}}", steps: [{to: "{{target}}"}]}'],
    ["direct:source", 'bean: {ref: "{{target}}"}'],
    ["platform-http:/{{target}}", "log: x"],
  ])("a template from %s with %s has no error", async (from, step) => {
    expect(await problems(template(from, step))).toEqual([]);
  });

  it("an error in a used template is reported once", async () => {
    const used = `${template("direct:a", "to: nosuch:x")}- templatedRoute: {routeTemplateRef: shared, routeId: made, parameters: [{name: target, value: x}]}\n`;
    expect(await problems(used)).toEqual(["9 connector-unknown"]);
  });
});
