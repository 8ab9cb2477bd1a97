import { describe, expect, it } from "vitest";
import { createFlowChecker } from "@sluice/server/check";
import { stringify } from "yaml";
import { importCamelXml } from "./camel-xml.ts";
import type { ImportResult } from "./import-result.ts";
import { importKamelet } from "./kamelet.ts";
import { importN8n } from "./n8n.ts";
import { importNodeRed } from "./node-red.ts";

/** The errors that a deployment of the generated flow would report. */
async function errorsOf({ flow }: ImportResult): Promise<readonly string[]> {
  const { diagnostics } = await createFlowChecker()({ id: "imported", source: stringify(flow), property: () => undefined });
  return diagnostics.map(({ message }) => message);
}

describe("Camel's XML", () => {
  const xml = (steps: string, around = ""): string =>
    `<camelContext xmlns="http://camel.apache.org/schema/spring">${around}<route id="r"><from uri="direct:r"/>${steps}</route></camelContext>`;
  const stepsOf = async (steps: string): Promise<unknown> => {
    const imported = importCamelXml(xml(steps));
    expect([imported.remarks, await errorsOf(imported)]).toEqual([[], []]);
    return (imported.flow[0] as any).route.from.steps;
  };

  it.each([
    ["expressions", '<setHeader name="a"><simple>${body}</simple></setHeader>', [{ setHeader: { name: "a", simple: "${body}" } }]],
    [
      "options of expressions",
      '<setBody><jsonpath resultType="java.lang.String">$.a</jsonpath></setBody>',
      [{ setBody: { jsonpath: { expression: "$.a", resultType: "java.lang.String" } } }],
    ],
    [
      "expressions without text",
      '<split><tokenize token=","/><to uri="mock:a"/></split>',
      [{ split: { tokenize: { token: "," }, steps: [{ to: { uri: "mock:a" } }] } }],
    ],
    [
      "choices",
      '<choice><when><simple>${body} == 1</simple><to uri="mock:a"/></when><when><simple>${body} == 2</simple><stop/></when><otherwise><to uri="mock:b"/></otherwise></choice>',
      [
        {
          choice: {
            when: [
              { simple: "${body} == 1", steps: [{ to: { uri: "mock:a" } }] },
              { simple: "${body} == 2", steps: [{ stop: {} }] },
            ],
            otherwise: { steps: [{ to: { uri: "mock:b" } }] },
          },
        },
      ],
    ],
    [
      "try and catch",
      '<doTry><to uri="mock:a"/><doCatch><exception>java.io.IOException</exception><exception>java.lang.Exception</exception><stop/></doCatch><doFinally><log message="x"/></doFinally></doTry>',
      [
        {
          doTry: {
            steps: [{ to: { uri: "mock:a" } }],
            doCatch: [{ exception: ["java.io.IOException", "java.lang.Exception"], steps: [{ stop: {} }] }],
            doFinally: { steps: [{ log: { message: "x" } }] },
          },
        },
      ],
    ],
    [
      "formats",
      '<marshal><json library="Jackson"/></marshal><unmarshal><csv/></unmarshal>',
      [{ marshal: { json: { library: "Jackson" } } }, { unmarshal: { csv: {} } }],
    ],
    ["renamed attributes", '<setProperty propertyName="p"><constant>1</constant></setProperty>', [{ setProperty: { name: "p", constant: "1" } }]],
    ["the description of a step", '<log message="x"><description>Says x</description></log>', [{ log: { message: "x", description: "Says x" } }]],
  ])("keeps %s", async (_, steps, expected) => {
    expect(await stepsOf(steps)).toEqual(expected);
  });

  it("moves error handling of a route to the top, and reports it", async () => {
    const imported = importCamelXml(
      xml(
        '<onException><exception>java.lang.Exception</exception><handled><constant>true</constant></handled><log message="x"/></onException><log message="y"/>',
      ),
    );
    expect(imported.flow[0]).toEqual({
      onException: { exception: ["java.lang.Exception"], handled: { constant: "true" }, steps: [{ log: { message: "x" } }] },
    });
    expect(imported.remarks).toEqual([{ where: "<onException> in route 'r'", text: expect.stringContaining("applies to every route") }]);
    expect(await errorsOf(imported)).toEqual([]);
  });

  it("reports elements without an equivalent, and unknown steps", async () => {
    expect(importCamelXml(xml("<log message='x'/>", "<dataFormats/>")).remarks).toEqual([
      { where: "<dataFormats>", text: "has no equivalent and was omitted" },
    ]);
    expect(await errorsOf(importCamelXml(xml("<pigeon to='home'/>")))).toEqual([expect.stringContaining("unknown step 'pigeon'")]);
  });
});

it("a Kamelet becomes a route template with its parameters", () => {
  const imported = importKamelet(`kind: Kamelet
metadata: {name: tick-source}
spec:
  definition: {required: [message], properties: {period: {default: 1000, description: how often}, message: {}}}
  template:
    from: {uri: "timer:tick", parameters: {period: "{{period}}"}, steps: [{setBody: {constant: "{{message}}"}}, {to: "kamelet:sink"}]}
`);
  expect(imported.flow).toEqual([
    {
      routeTemplate: {
        id: "tick-source",
        parameters: [{ name: "period", defaultValue: "1000", required: false, description: "how often" }, { name: "message" }],
        from: { uri: "timer:tick", parameters: { period: "{{period}}" }, steps: [{ setBody: { constant: "{{message}}" } }, { to: "direct:tick-source-out" }] },
      },
    },
  ]);
  expect(imported.remarks).toHaveLength(1);
  expect(() => importKamelet("kind: Pod")).toThrow("not a Kamelet");
});

describe("Node-RED", () => {
  const nodeRed = (...nodes: readonly object[]): ImportResult => importNodeRed(JSON.stringify(nodes));

  it("a chain becomes a route, a switch a choice, and a shared target a separate route", async () => {
    const imported = nodeRed(
      { id: "t", type: "tab" },
      { id: "a", type: "http in", name: "orders", url: "/orders/:id", method: "post", wires: [["b"]] },
      { id: "b", type: "switch", property: "payload.total", rules: [{ t: "gt", v: "100", vt: "num" }, { t: "else" }], wires: [["c"], ["d"]] },
      { id: "c", type: "http request", method: "POST", url: "http://erp.example/orders", wires: [["e"]] },
      { id: "d", type: "change", rules: [{ t: "set", p: "payload", pt: "msg", to: "small", tot: "str" }], wires: [["e"]] },
      { id: "e", type: "http response", name: "answer", statusCode: "201", wires: [] },
    );
    expect(imported.remarks).toEqual([]);
    expect(await errorsOf(imported)).toEqual([]);
    expect(imported.flow.map(({ route }: any) => [route.id, route.from.uri])).toEqual([
      ["orders", "platform-http:/orders/{id}"],
      ["answer", "direct:answer"],
    ]);
    expect((imported.flow[0] as any).route.from.steps).toEqual([
      {
        choice: {
          when: [
            {
              simple: "${body[total]} > 100",
              steps: [{ to: { uri: "http://erp.example/orders", parameters: { httpMethod: "POST" } } }, { to: { uri: "direct:answer" } }],
            },
          ],
          otherwise: { steps: [{ setBody: { constant: "small" } }, { to: { uri: "direct:answer" } }] },
        },
      },
    ]);
  });

  it("several wires from one output become a multicast, and a cycle becomes a call", async () => {
    const imported = nodeRed(
      { id: "a", type: "inject", name: "tick", repeat: "5", payload: "", payloadType: "str", wires: [["b", "c"]] },
      { id: "b", type: "debug", name: "one", wires: [["a2"]] },
      { id: "c", type: "debug", name: "two", wires: [] },
      { id: "a2", type: "delay", name: "again", timeout: "1", timeoutUnits: "seconds", pauseType: "delay", wires: [["b"]] },
    );
    expect(await errorsOf(imported)).toEqual([]);
    const byId = Object.fromEntries(imported.flow.map(({ route }: any) => [route.id, route.from.steps]));
    expect(byId["tick"]).toEqual([{ multicast: { steps: [{ to: { uri: "direct:one" } }, { to: { uri: "direct:two" } }] } }]);
    expect(byId["one"]).toEqual([{ log: { message: "${body}" } }, { delay: { constant: "1000" } }, { to: { uri: "direct:one" } }]);
    expect(Object.keys(byId).toSorted()).toEqual(["one", "tick", "two"]);
  });

  it("lists nodes that were not converted, and marks them in the flow", async () => {
    const imported = nodeRed(
      { id: "a", type: "inject", name: "go", wires: [["b"]] },
      { id: "b", type: "function", name: "calc", func: "return msg", wires: [["c"]] },
      { id: "c", type: "mqtt out", name: "bus", wires: [] },
    );
    expect(imported.remarks.map(({ where }) => where)).toEqual(["node 'calc' (function)", "node 'bus' (mqtt out)"]);
    expect(JSON.stringify(imported.flow)).toContain("not imported: node 'calc' (function)");
    expect(await errorsOf(imported)).toEqual([]);
  });

  it("rejects files that are not an export", () => {
    expect(() => importNodeRed('{"a":1}')).toThrow("not a Node-RED export");
  });
});

describe("n8n", () => {
  const n8n = (nodes: readonly object[], connections: object): ImportResult => importN8n(JSON.stringify({ nodes, connections }));

  it("maps webhooks, conditions, calls and responses", async () => {
    const imported = n8n(
      [
        { name: "Webhook", type: "n8n-nodes-base.webhook", parameters: { path: "hook", httpMethod: "POST", responseMode: "responseNode" } },
        {
          name: "If",
          type: "n8n-nodes-base.if",
          parameters: {
            conditions: { combinator: "and", conditions: [{ leftValue: "={{ $json.body.total }}", operator: { operation: "gte" }, rightValue: 100 }] },
          },
        },
        { name: "Call", type: "n8n-nodes-base.httpRequest", parameters: { url: "=http://erp.example/{{ $json.body.id }}", method: "POST" } },
        {
          name: "Answer",
          type: "n8n-nodes-base.respondToWebhook",
          parameters: { respondWith: "text", responseBody: "=ok {{ $json.body.id }}", options: { responseCode: 202 } },
        },
        { name: "Note", type: "n8n-nodes-base.stickyNote" },
      ],
      { Webhook: { main: [[{ node: "If" }]] }, If: { main: [[{ node: "Call" }], [{ node: "Answer" }]] } },
    );
    expect(imported.remarks).toEqual([]);
    expect(await errorsOf(imported)).toEqual([]);
    expect((imported.flow[0] as any).route).toMatchObject({
      id: "webhook",
      from: {
        uri: "platform-http:/hook",
        steps: [
          {
            choice: {
              when: [{ simple: "${body[total]} >= 100", steps: [{ toD: { uri: "http://erp.example/${body[id]}", parameters: { httpMethod: "POST" } } }] }],
              otherwise: { steps: [{ setHeader: { name: "CamelHttpResponseCode", constant: "202" } }, { setBody: { simple: "ok ${body[id]}" } }] },
            },
          },
        ],
      },
    });
  });

  it("maps schedules, and reports code and expressions it cannot convert", async () => {
    const imported = n8n(
      [
        { name: "Every", type: "n8n-nodes-base.scheduleTrigger", parameters: { rule: { interval: [{ field: "minutes", minutesInterval: 5 }] } } },
        { name: "Code", type: "n8n-nodes-base.code", parameters: { jsCode: "return items" } },
        { name: "Call", type: "n8n-nodes-base.httpRequest", parameters: { url: "=http://x.example/{{ $now.toISO() }}" } },
      ],
      { Every: { main: [[{ node: "Code" }]] }, Code: { main: [[{ node: "Call" }]] } },
    );
    expect((imported.flow[0] as any).route.from).toMatchObject({ uri: "timer:schedule", parameters: { period: "300000" } });
    expect(imported.remarks.map(({ text }) => text)).toEqual([
      "contains code: rewrite it as steps or a mapping",
      "uses '$now.toISO()', which has no equivalent",
    ]);
    expect(await errorsOf(imported)).toEqual([]);
  });
});
