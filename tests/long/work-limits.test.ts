// The limits on the work that one message or document may cause. `tests/long/event-loop.test.ts` measures that work within the limits does not block the event loop.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inputs } from "./event-loop/hostile-inputs.ts";
import { routeOf } from "./event-loop/sweep.ts";
import { call, startTestServer, type ApiReply, type StartedServer } from "../started-server.ts";

const size = 9_900_000;
let server: StartedServer;

beforeAll(async () => {
  server = await startTestServer({ env: { SERVICE_LOG_LEVEL: "ERROR" } });
});
afterAll(() => server.end());

const shown = ({ status, text }: ApiReply): string => `${status} ${text.slice(0, 300)}`;

describe("a message that exceeds a limit is rejected with the limit", () => {
  const steps = {
    yaml: ["unmarshal: {yaml: {}}"],
    json: ["unmarshal: {json: {}}", "setBody: {constant: read}"],
    sort: ['sort: {simple: "${body}"}', "setBody: {constant: sorted}"],
    csv: ["unmarshal: {csv: {}}", "setBody: {constant: read}"],
    tokens: ['setBody: {xtokenize: {expression: "//b"}}'],
    recipients: ['recipientList: {simple: "${body}"}'],
    header: ["unmarshal: {json: {}}", 'setHeader: {name: h, simple: "${body}"}', "setBody: {constant: sent}"],
  };

  it.each<[string, keyof typeof steps, () => string, RegExp]>([
    ["YAML of empty lists", "yaml", () => inputs.yamlLists(1_000_000), /^400 .*limit exceeded/],
    ["YAML of comments", "yaml", () => inputs.yamlComments(2_000_000), /^400 .*limit exceeded/],
    ["YAML of keys", "yaml", () => inputs.yamlKeys(190_000), /^400 .*limit exceeded/],
    ["JSON of empty objects", "json", () => inputs.emptyObjects(size), /^400 .*more than 500000 lists and objects/],
    ["JSON of different keys", "json", () => inputs.shapes(size), /^400 .*more than 500000 lists and objects/],
    ["JSON that is deep", "json", () => inputs.deep(size), /^400 .*nested deeper than 1000 levels/],
    ["sorting commas", "sort", () => inputs.commas(size), /^500 .*size limit/],
    ["CSV of commas", "csv", () => inputs.commas(size), /^400 .*more than 200000 values/],
    ["XML elements as a list", "tokens", () => inputs.xmlEmpty(size), /^500 .*more than 100000 elements/],
    ["a recipient list of commas", "recipients", () => inputs.commas(size), /^500 .*more than 10000 addresses/],
    ["a reply header of a long list", "header", () => inputs.listsAtLimit(), /^500 .*header 'h' is longer/],
  ])("%s", async (_, route, body, expected) => {
    expect((await server.putFlow(`limit-${route}`, routeOf(`limit-${route}`, steps[route]))).json.error).toBeUndefined();
    expect(shown(await call(server.baseUrl, "POST", `/api/limit-${route}`, body(), { "content-type": "text/plain" }))).toMatch(expected);
  });

  /** Six steps, each of which makes ten copies for the next: without a limit, a million copies of one message. */
  it.each<[string, (next: string) => string]>([
    ["multicast", (next) => `{multicast: {parallelProcessing: true, steps: [${`{to: "${next}"}, `.repeat(10)}]}}`],
    ["recipientList", (next) => `{recipientList: {constant: "${`${next},`.repeat(10)}", parallelProcessing: true}}`],
    ["split", (next) => `{split: {constant: "0,1,2,3,4,5,6,7,8,9", parallelProcessing: true, steps: [{to: "${next}"}]}}`],
  ])("copies of copies by %s", async (name, step) => {
    const inner = Array.from({ length: 6 }, (_, index) => {
      const [from, next] = [`direct:${name}-${index}`, `direct:${name}-${index + 1}`];
      return `- from:\n    uri: ${from}\n    steps: [${index === 5 ? "{setProperty: {name: p, constant: x}}" : step(next)}]\n`;
    });
    expect((await server.putFlow(`nested-${name}`, routeOf(`nested-${name}`, [step(`direct:${name}-0`)]) + inner.join(""))).json.error).toBeUndefined();
    expect(shown(await call(server.baseUrl, "POST", `/api/nested-${name}`, "x"))).toMatch(/^500 .*exchange limit/);
  });
});

describe("a document that exceeds a limit is rejected with the limit", () => {
  it.each([
    ["PUT", "/flows/x"],
    ["POST", "/flows/validate"],
  ])("%s %s of comments", async (method, path) => {
    expect((await server.api(method, path, { yaml: inputs.yamlComments(500_000) })).text).toMatch(/limit exceeded/);
  });

  it.each<[string, string, () => string, RegExp]>([
    ["JSON of empty lists", "/flows/x", () => inputs.emptyArrays(size), /^400 .*more than 500000 lists and objects/],
    ["unknown properties of a mapping", "/message-mappings/x", inputs.keysAtLimit, /^422 .*message mapping 'x'/],
    ["unknown properties of a table", "/value-mappings/x", inputs.keysAtLimit, /^422 .*unknown property 'k0'/],
    ["unknown properties of a policy", "/auth/x", inputs.keysAtLimit, /^422 .*unknown property 'k0'/],
    ["unknown properties of a connection", "/connections/x", inputs.keysAtLimit, /^422 .*unknown property 'k0'/],
  ])("%s", async (_, path, body, expected) => {
    expect(shown(await server.api("PUT", path, body(), { "content-type": "application/json" }))).toMatch(expected);
  });
});
