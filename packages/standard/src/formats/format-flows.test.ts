import { diagnosticsOf, flow } from "@sluice/testkit";
import { asText } from "@sluice/engine/values";
import { describe, expect, test } from "vitest";

describe("formats and XML in a flow", () => {
  test("split iterates over XPath nodes; the message itself is unchanged", async () => {
    const run = await flow("- split: {xpath: /a/b, steps: [{to: 'mock:part'}]}\n- to: mock:end\n");
    expect((await run({ body: "<a><b>1</b><b x='2'/></a>" })).error).toBeUndefined();
    expect(run.mocks.get("part")?.map(({ body }) => asText(body))).toEqual(["<b>1</b>", '<b x="2"/>']);
    expect(run.mocks.get("end")?.map(({ body }) => body)).toEqual(["<a><b>1</b><b x='2'/></a>"]);
  });

  test("nodes are XML in a template and after convertBodyTo", async () => {
    const run = await flow("- setBody: {xpath: /a/b}\n- setHeader: {name: text, simple: '[${body}]'}\n- convertBodyTo: String\n");
    expect(await run({ body: "<a><b>1</b><b>2</b></a>" })).toMatchObject({
      body: "<b>1</b><b>2</b>",
      headers: { text: "[<b>1</b><b>2</b>]" },
      error: undefined,
    });
  });

  test("namespace prefixes can be a list", async () => {
    const run = await flow("- setBody: {xpath: {expression: '/n:a', namespace: [{key: n, value: 'urn:x'}], resultType: String}}\n");
    expect((await run({ body: '<a xmlns="urn:x">1</a>' })).body).toBe("1");
  });

  test("entries of a zip file are split into messages with their names", async () => {
    const run = await flow(
      "- marshal: {zipFile: {}}\n- unmarshal: {zipFile: {usingIterator: true}}\n- split: {simple: '${body}', steps: [{convertBodyTo: String}, {to: 'mock:entry'}]}\n",
    );
    expect((await run({ body: "hello", headers: { CamelFileName: "x.txt" } })).error).toBeUndefined();
    expect(run.mocks.get("entry")).toMatchObject([{ body: "hello", headers: { zipFileName: "x.txt", CamelFileName: "x.txt" } }]);
  });

  test("rows of a big file are split lazily", async () => {
    const run = await flow("- unmarshal: {csv: {useMaps: true, lazyLoad: true}}\n- split: {simple: '${body}', streaming: true, steps: [{to: 'mock:row'}]}\n");
    const stream = (async function* () {
      yield "id,name\n1,Ann\n2,";
      yield "Bo\n";
    })();
    expect((await run({ body: stream })).error).toBeUndefined();
    expect(run.mocks.get("row")?.map(({ body }) => body)).toEqual([
      { id: "1", name: "Ann" },
      { id: "2", name: "Bo" },
    ]);
  });

  test("a malformed message fails with its position and counts as a client error", async () => {
    const run = await flow("- unmarshal: {json: {}}\n");
    const { exchange, error } = await run({ body: '{"a": 1,}' });
    expect(error).toBe('the body is not valid JSON: unexpected "}" at line 1, column 9');
    expect(exchange.failure).toMatchObject({ code: "invalid-json", details: { clientFault: true } });
  });
});

test.each([
  ["- setBody: {xpath: '/a['}", /the xpath expression is invalid/],
  ["- marshal: {protobuf: {}}", /protobuf is not available; use json/],
  ["- marshal: {jsn: {}}", /did you mean 'json'/],
  ["- marshal: {}", /format/],
  ["- unmarshal: {csv: {delimiter: '\"'}}", /must differ from quote/],
  ["- unmarshal: {custom: {ref: none}}", /unknown data format 'none'/],
  [
    "- dataFormats: [{custom: {id: a, ref: b}}, {custom: {id: b, ref: a}}]\n- from: {uri: direct:start, steps: [{unmarshal: {custom: {ref: a}}}]}",
    /the data format 'a' refers to itself/,
  ],
])("%s is rejected when it is deployed", (yaml, message) => {
  expect(diagnosticsOf(yaml)[0]).toMatch(message);
});
