// Single messages and documents that used to block the event loop for seconds. The full sweep is in tests/faults/event-loop.test.ts.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inputs } from "./event-loop/hostile-inputs.ts";
import { longMs } from "./event-loop/loop-watch.ts";
import { routeOf, startSweepServer, type SweepServer } from "./event-loop/sweep.ts";

const size = 9_900_000;
let sweep: SweepServer;

beforeAll(async () => void (sweep = await startSweepServer()));
afterAll(() => sweep.end());

/**
 * Sends a message and fails when the event loop was blocked for long. Measures up to three times, because the first measurement may include
 * compilation. Only the CPU time of the runtime's main thread counts.
 */
async function replyWithinBudget(name: string, send: () => Promise<string>): Promise<string> {
  let measured = await sweep.measure(name, send);
  for (let count = 1; count < 3 && measured.blockedMs > longMs; count++) measured = await sweep.measure(name, send);
  expect(measured.blockedMs, `${name}: the event loop was blocked`).toBeLessThan(longMs);
  return measured.reply;
}

const steps = {
  yaml: ["unmarshal: {yaml: {}}"],
  json: ["unmarshal: {json: {}}", "setBody: {constant: read}"],
  sort: ['sort: {simple: "${body}"}', "setBody: {constant: sorted}"],
  jsonpath: ['filter: {jsonpath: "$[?(@.id > 1)]", steps: [{setBody: {constant: kept}}]}'],
  xpath: ['setBody: {xpath: {expression: "count(/a/b)", resultType: java.lang.String}}'],
  paths: [
    "convertBodyTo: {type: String}",
    ...["a", "b", "c", "d"].map((key) => `setHeader: {name: ${key}, simple: "\${body[0].${key}}"}`),
    "setBody: {constant: read}",
  ],
  csv: ["unmarshal: {csv: {}}", "setBody: {constant: read}"],
  lazyCsv: ["unmarshal: {csv: {lazyLoad: true}}", "marshal: {csv: {}}", "setBody: {constant: written}"],
  tokens: ['setBody: {xtokenize: {expression: "//b"}}'],
  gzip: ["marshal: {gzipDeflater: {}}", "setBody: {constant: packed}"],
  writeXml: ["marshal: {jacksonXml: {}}", "setBody: {constant: written}"],
  writeYaml: ["unmarshal: {json: {}}", "marshal: {yaml: {}}", "setBody: {constant: written}"],
  distinct: ['setBody: {jsonata: "$distinct($)"}', "setBody: {constant: distinct}"],
  shell: ['setBody: {jq: "@sh"}'],
  jqBase64: ['setBody: {jq: "@base64"}', "setBody: {constant: coded}"],
  recipients: ['recipientList: {simple: "${body}"}'],
  jqParts: ['setBody: {jq: ".[]"}'],
  reply: ["unmarshal: {json: {}}"],
  header: ["unmarshal: {json: {}}", 'setHeader: {name: h, simple: "${body}"}', "setBody: {constant: sent}"],
  notAMap: ["unmarshal: {json: {}}", "convertBodyTo: {type: java.util.Map}"],
  pretty: ['setBody: {simple: "${prettyBody}"}'],
  several: ["a", "b", "c", "d", "e", "f", "g", "h"].map((key) => `setHeader: {name: ${key}, simple: "\${hash(\${body},SHA-384)}"}`),
  marshal: ["marshal: {json: {prettyPrint: true}}", "setBody: {constant: written}"],
  withoutNull: ["unmarshal: {json: {}}", "marshal: {json: {include: NON_NULL}}", "setBody: {constant: written}"],
};

describe("one message does not block the event loop", () => {
  it.each<[string, keyof typeof steps, () => string, string]>([
    ["YAML of empty lists", "yaml", () => inputs.yamlLists(1_000_000), "400 .*limit exceeded"],
    ["YAML of comments", "yaml", () => inputs.yamlComments(2_000_000), "400 .*limit exceeded"],
    ["YAML of keys", "yaml", () => inputs.yamlKeys(190_000), "400 .*limit exceeded"],
    ["truncated JSON", "json", () => inputs.truncated(size), "400 .*unexpected end of input at line 1"],
    ["JSON with an error at its end", "json", () => inputs.brokenLate(1_400_000), "400 .*unexpected"],
    ["JSON of empty objects", "json", () => inputs.emptyObjects(size), "400 .*more than 500000 lists and objects"],
    ["JSON of different keys", "json", () => inputs.shapes(size), "400 .*more than 500000 lists and objects"],
    ["JSON that is deep", "json", () => inputs.deep(size), "400 .*nested deeper than 1000 levels"],
    ["sorting commas", "sort", () => inputs.commas(size), "500 .*size limit"],
    ["sorting words", "sort", () => inputs.randomWords(3_700_000), "200 sorted"],
    ["jsonpath on broken JSON", "jsonpath", () => inputs.brokenLate(size), "500 .*(?:needs JSON|size limit)"],
    ["xpath on a large document", "xpath", () => `<a>${"<b>x</b>".repeat(490_000)}</a>`, "(?:200 490000|504)"],
    ["several paths into a string", "paths", () => `[{"a":1,"b":2,"c":3,"d":4},${inputs.records(9_800_000).slice(1)}`, "200 read"],
    ["CSV of commas", "csv", () => inputs.commas(size), "400 .*more than 200000 values"],
    ["CSV of many records", "csv", () => inputs.shortLines(size), "200 read"],
    ["CSV that is written while it is read", "lazyCsv", () => inputs.shortLines(size), "200 written"],
    ["XML elements as a list", "tokens", () => inputs.xmlEmpty(size), "500 .*more than 100000 elements"],
    ["compressing", "gzip", () => inputs.records(size), "200 packed"],
    ["writing XML", "writeXml", () => inputs.xmlTruncated(size), "200 written"],
    ["writing YAML", "writeYaml", () => inputs.records(size), "200 written"],
    ["distinct records", "distinct", () => inputs.records(size), "(200|504)"],
    ["quoting of strings", "shell", () => inputs.strings(size), "504"],
    ["base64 of long text", "jqBase64", () => inputs.longText(size), "200 coded"],
    ["several long synchronous steps", "several", () => inputs.oneLine(1_990_000), "200 "],
    ["JSON bytes that are pretty-printed", "marshal", () => inputs.records(size), "200 written"],
    ["bytes with too much JSON, written as text", "marshal", () => inputs.manyKeys(size), "200 written"],
    ["members omitted from a large value", "withoutNull", () => inputs.records(size), "200 written"],
    ["a recipient list of commas", "recipients", () => inputs.commas(size), "500 .*more than 10000 addresses"],
    ["parts of deep JSON", "jqParts", () => inputs.deepAtLimit(), "200 \\[{100}"],
    ["a reply of deep JSON", "reply", () => inputs.deepAtLimit(), "200 \\[{100}"],
    ["a reply of records", "reply", () => inputs.records(size), '200 \\[\\{"id":0'],
    ["a reply header of a long list", "header", () => inputs.listsAtLimit(), "500 .*header 'h' is longer"],
    ["the failed conversion of a long list", "notAMap", () => inputs.records(size), "500 .*cannot convert '\\[\\{"],
    ["pretty-printing XML", "pretty", () => inputs.xmlMixed(size), "504"],
  ])("%s", async (name, route, body, expected) => {
    const id = `blocking-${route}`;
    expect((await sweep.server.putFlow(id, routeOf(id, steps[route]))).status).toBeLessThan(300);
    const bytes = Buffer.from(body());
    expect(await replyWithinBudget(name, () => sweep.post(`/api/${id}`, bytes))).toMatch(new RegExp(`^${expected}`));
  });
});

/** Six steps, each of which makes ten copies for the next: without a limit, a million copies of one message. */
const nestedSteps: Readonly<Record<string, (next: string) => string>> = {
  multicast: (next) => `{multicast: {parallelProcessing: true, steps: [${`{to: "${next}"}, `.repeat(10)}]}}`,
  recipientList: (next) => `{recipientList: {constant: "${`${next},`.repeat(10)}", parallelProcessing: true}}`,
  split: (next) => `{split: {constant: "0,1,2,3,4,5,6,7,8,9", parallelProcessing: true, steps: [{to: "${next}"}]}}`,
};

describe("copies of copies that run at the same time do not block the event loop", () => {
  it.each(Object.entries(nestedSteps))("%s", async (name, step) => {
    const inner = Array.from({ length: 6 }, (_, index) => {
      const [from, next] = [`direct:${name}-${index}`, `direct:${name}-${index + 1}`];
      return `- from:\n    uri: ${from}\n    steps: [${index === 5 ? "{setProperty: {name: p, constant: x}}" : step(next)}]\n`;
    });
    const flow = routeOf(`nested-${name}`, [step(`direct:${name}-0`)]) + inner.join("");
    expect((await sweep.server.putFlow(`nested-${name}`, flow)).status).toBeLessThan(300);
    expect(await replyWithinBudget(name, () => sweep.post(`/api/nested-${name}`, "x"))).toMatch(/^500 .*exchange limit/);
  });
});

describe("one document does not block the event loop", () => {
  it("a table of 300,000 rows", async () => {
    const table = JSON.stringify({ columns: ["a", "b"], rows: Array.from({ length: 300_000 }, (_, index) => [`k${index}`, `v${index}`]) });
    expect(await replyWithinBudget("PUT /value-mappings", () => sweep.api("PUT", "/value-mappings/large", table))).toMatch(/^20[01]/);
  });

  it.each([
    ["PUT", "/flows/x"],
    ["POST", "/flows/validate"],
  ])("%s %s of comments", async (method, path) => {
    const body = JSON.stringify({ yaml: inputs.yamlComments(500_000) });
    expect(await replyWithinBudget(`${method} ${path}`, () => sweep.api(method, path, body))).toMatch(/limit exceeded/);
  });

  it("JSON of empty lists, whatever the endpoint", async () => {
    const reply = await replyWithinBudget("PUT /flows", () => sweep.api("PUT", "/flows/x", inputs.emptyArrays(size)));
    expect(reply).toMatch(/^400 .*more than 500000 lists and objects/);
  });

  it.each([
    ["/message-mappings/x", /^422 .*message mapping 'x'/],
    ["/value-mappings/x", /^422 .*unknown property 'k0'/],
    ["/auth/x", /^422 .*unknown property 'k0'/],
    ["/connections/x", /^422 .*unknown property 'k0'/],
  ])("%s with 62,400 unknown properties", async (path, expected) => {
    expect(await replyWithinBudget(path, () => sweep.api("PUT", path, inputs.keysAtLimit()))).toMatch(expected);
  });

  it("a mapping with thousands of rules whose source fields are not in its sample", async () => {
    const names = Array.from({ length: 19_000 }, (_, index) => `k${index}`);
    const source = { format: "json", sample: Object.fromEntries(names.map((name) => [`s${name}`, 1])) };
    const document = JSON.stringify({ source, target: { format: "json" }, map: names.map((name) => ({ to: name, from: name })) });
    expect(await replyWithinBudget("sample", () => sweep.api("PUT", "/message-mappings/x", document))).toMatch(/^422 .*the source has no field 'k0'/);
  });

  it.each([
    ["a syntax error", inputs.linesThenError, /^400 .*unexpected character at line 9899999, column 1/],
    ["a duplicate name", inputs.linesThenDuplicate, /^400 .*the name 'a' is repeated in one object at line 98\d+, column 8/],
  ])("%s behind millions of line breaks", async (name, input, expected) => {
    expect(await replyWithinBudget(name, () => sweep.api("PUT", "/message-mappings/x", input(size)))).toMatch(expected);
  });

  it("a name of millions of escaped quotes", async () => {
    expect(await replyWithinBudget("escaped quotes", () => sweep.api("PUT", "/message-mappings/x", inputs.quotesInKey(size)))).toMatch(
      /^422 .*message mapping/,
    );
  });
});
