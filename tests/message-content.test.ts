// Message content is data: it is never evaluated as an expression, whichever step builds an address from it, and JSON that cannot be represented is rejected.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, eventually, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());

const route = (id: string, ...steps: readonly string[]): string => `- route:
    id: ${id}
    from:
      uri: webhook?muteException=false
      steps:
        - setVariable: {name: secret, constant: do-not-show}
${steps.map((step) => `        - ${step}`).join("\n")}
`;

const steps = [
  'toD: "language:simple:${body}"',
  'toD: {uri: "language:simple:${body}", allowedSchemes: language}',
  'toD: "language:simple:a/${body}"',
  'toD: "language:${header.name}:${body}"',
  'toD: {uri: "${header.whole}", allowedSchemes: language}',
  'toD: {uri: "language", parameters: {languageName: simple, resourceUri: "${body}"}}',
  'recipientList: {allowedSchemes: language, simple: "${header.whole}"}',
  'recipientList: {simple: "language:simple:${body}"}',
  'routingSlip: {allowedSchemes: language, simple: "${header.whole}"}',
  'dynamicRouter: {allowedSchemes: language, simple: "${header.whole}"}',
  'enrich: {allowedSchemes: language, simple: "${header.whole}"}',
  'wireTap: {uri: "language:simple:${body}"}',
];

describe("expressions in messages", () => {
  it.each(steps.map((step, index) => [step, `dynamic-${index}`] as const))("%s evaluates nothing", async (step, id) => {
    const put = await server.putFlow(id, route(id, step));
    if (put.status === 422) return expect(put.text).toMatch(/unknown option|rejected|cannot/);
    expect(put.status, put.text).toBe(201);
    const headers = { name: "simple", whole: "language:simple:${variable.secret}" };
    const reply = await call(server.baseUrl, "POST", `/api/${id}`, "${variable.secret}", headers);
    expect(reply.text).not.toContain("do-not-show");
    if (step.startsWith("wireTap")) return eventually(() => new RegExp(`"${id}"[^\\n]*rejected`).test(server.logText()));
    expect(reply.status).toBe(500);
    expect(reply.text).toContain("rejected");
  });

  it("a script written in the flow is evaluated, even through a header; one that contains message content is rejected", async () => {
    await server.putFlow("chosen", route("chosen", 'setHeader: {name: to, constant: "language:simple:A-${body}"}', 'toD: "${header.to}"'));
    expect((await call(server.baseUrl, "POST", "/api/chosen", "x")).text).toBe("A-x");
    await server.putFlow("fixed", route("fixed", 'to: "language:simple:C-${body}"', 'toD: "language:simple:D-$simple{body}"'));
    const fixed = await call(server.baseUrl, "POST", "/api/fixed", "${variable.secret}");
    expect([fixed.status, fixed.text.includes("rejected"), fixed.text.includes("do-not-show")]).toEqual([500, true, false]);
  });
});

describe("JSON that cannot be represented", () => {
  beforeAll(() => server.putFlow("reread", route("reread", "unmarshal: {json: {}}")));
  const read = async (body: string): Promise<string> => {
    const { status, text } = await call(server.baseUrl, "POST", "/api/reread", body);
    return `${status} ${text}`;
  };

  it("nested 5,000 deep is reported as a client error", async () => {
    expect(await read("[".repeat(5_000) + "]".repeat(5_000))).toMatch(/^400 .*nested deeper than 1000 levels/);
    expect(await read("[".repeat(1_000) + "]".repeat(1_000))).toMatch(/^200 \[{100}/);
  });

  it("a number beyond the range of a double is rejected, not turned into null", async () => {
    expect(await read('{"a":1e400}')).toMatch(/^400 .*a number in it is too large/);
    expect(await read('{"a":1e308,"b":"1e400"}')).toMatch(/^200 \{"a":1e\+308,"b":"1e400"\}/);
  });
});
