// No flow and no message may starve the others; a canary must be unaffected.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { canaryFlow, startCanary, type Canary } from "../canary.ts";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { call, eventually, sleep, type ApiReply } from "../started-server.ts";
import { unexpectedOutput } from "../unexpected-output.ts";

let server: SpawnedServer;
let canary: Canary;
beforeAll(async () => {
  server = await spawnServer({ env: { SERVICE_MAX_INFLIGHT: "200", SERVICE_MAX_MESSAGE: "4MiB", SERVICE_RUN_MS: "100s", SERVICE_ENABLE_JS: "true" } });
  expect((await server.putFlow("canary", canaryFlow)).status).toBe(201);
});
beforeEach(async () => void (canary = await startCanary(server, 250)));
afterEach(async () => {
  await canary.stop();
  expect(server.output()).not.toMatch(unexpectedOutput);
});
afterAll(async () => {
  await server.end("SIGKILL");
  server.clean();
});

const hook = (id: string, ...steps: readonly string[]): string => `- route:
    id: ${id}
    from:
      uri: webhook
      parameters: {muteException: false}
      steps:
${steps.map((step) => `        - ${step}`).join("\n")}
`;

async function deployAndCall(id: string, yaml: string, body: string, contentType = "text/plain"): Promise<ApiReply> {
  const put = await server.putFlow(id, yaml);
  expect(put.json?.error).toBeUndefined();
  return call(server.baseUrl, "POST", `/api/${id}`, body, { "content-type": contentType });
}

const runErrors = async (id: string): Promise<string> => JSON.stringify((await server.api("GET", `/runs?routeId=${id}`)).json);
const json = JSON.stringify(Array.from({ length: 40_000 }, (_, index) => ({ a: index, b: [index, { c: `x${index}` }] })));
const xml = `<a>${"<b><c>x</c></b>".repeat(20_000)}</a>`;

describe("an endless expression is stopped", () => {
  it.each([
    ["jq-loop", `setBody: {jq: "def f: if . then f else f end; f"}`, "1"],
    ["jq-range", `setBody: {jq: "[range(1e12)] | length"}`, "1"],
    ["jq-work", `setBody: {jq: "[.[] as $x | .[] | . == $x] | length"}`, json],
    ["jsonata-work", `setBody: {jsonata: "$sort($, function($l, $r) { $l.a < $r.a })"}`, json],
    ["jsonpath-work", `setBody: {jsonpath: "$..[?(@..c)]..*"}`, json],
    ["xpath-work", `setBody: {xpath: "count(//*[count(//*) > 1])"}`, xml],
  ])(
    "%s",
    async (id, step, body) => {
      const reply = await deployAndCall(id, hook(id, step), body);
      expect([reply.status, reply.text]).toEqual([expect.toSatisfy((status) => status === 500 || status === 504), expect.any(String)]);
      expect(await runErrors(id)).toMatch(/time limit|call depth|size limit/);
    },
    120_000,
  );

  it.each([
    ["js-loop", "while (true) {}"],
    [
      "js-builtin",
      "Array.from({length: 600000}, (_, n) => (n * 7919) % 600011).sort((a, b) => { let x = 0; for (let n = 0; n < 50; n++) x += n; return a - b; })",
    ],
  ])(
    "%s: ten scripts at once that exceed the time limit",
    async (id, code) => {
      expect((await server.putFlow(id, hook(id, `setBody: {js: ${JSON.stringify(code)}}`))).status).toBe(201);
      const replies = await Promise.all(Array.from({ length: 10 }, () => call(server.baseUrl, "POST", `/api/${id}`, "x")));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([504]));
      expect(await runErrors(id)).toMatch(/time limit/);
    },
    60_000,
  );

  it("a loop whose condition is always true ends with its run", async () => {
    const steps = ["loop: {doWhile: true, simple: \"${body} != 'over'\", steps: [{setHeader: {name: n, constant: x}}]}"];
    const endless = hook("endless-loop", ...steps);
    const short = await spawnServer({ env: { SERVICE_RUN_MS: "4s" } });
    try {
      expect((await short.putFlow("canary", canaryFlow)).status).toBe(201);
      expect((await short.putFlow("endless-loop", endless)).status).toBe(201);
      const shortCanary = await startCanary(short, 250);
      const startTime = performance.now();
      const reply = await call(short.baseUrl, "POST", "/api/endless-loop", "x");
      expect(reply.status).toBe(504);
      expect(performance.now() - startTime).toBeLessThan(8_000);
      const { calls } = await shortCanary.stop();
      expect(calls).toBeGreaterThan(5);
      expect(JSON.stringify((await short.api("GET", "/runs?routeId=endless-loop")).json)).toMatch(/time limit/);
    } finally {
      await short.end("SIGKILL");
      short.clean();
    }
  }, 60_000);

  it("many heavy steps in one run yield to others", async () => {
    const step = 'setProperty: {name: p, jq: "[range(20000)] | length"}';
    const reply = await deployAndCall("heavy", hook("heavy", ...Array.from({ length: 30 }, () => step), "setBody: {constant: through}"), "1");
    expect(reply.text).toBe("through");
  }, 120_000);
});

describe("no pattern backtracks", () => {
  const attack = `${"a".repeat(50)}!`;
  const pattern = "^(a+)+$";
  it.each([
    ["filter", `filter: {simple: "\${body} regex '${pattern}'", steps: [{setBody: {constant: no}}]}`],
    [
      "choice",
      `choice: {when: [{simple: "\${body} regex '${pattern}'", steps: [{setBody: {constant: no}}]}], otherwise: {steps: [{setBody: {constant: otherwise}}]}}`,
    ],
    ["replace", `setBody: {simple: "\${body.replaceAll('${pattern}','x')}"}`],
    ["jq", `setBody: {jq: "test(\\"${pattern}\\")"}`],
  ])(
    "%s",
    async (id, step) => {
      for (const body of [attack, `${"a".repeat(1_000_000)}!`]) {
        const text = id === "jq" ? JSON.stringify(body) : body;
        const startTime = performance.now();
        await deployAndCall(id, hook(id, step), text);
        expect(performance.now() - startTime).toBeLessThan(10_000);
      }
    },
    120_000,
  );

  it("validate", async () => {
    const reply = await deployAndCall("validate", hook("validate", `validate: {simple: "\${body} regex '${pattern}'"}`), attack);
    expect(reply.status).toBeGreaterThanOrEqual(400);
  });
});

describe("calls and copies", () => {
  it("a route that calls itself fails with 'call depth'; a flow with recursive wire taps can be removed", async () => {
    const reply = await deployAndCall(
      "recursive",
      `${hook("recursive", "to: direct:recursive-call")}- route:\n    id: recursive-call\n    from:\n      uri: direct:recursive-call\n      steps:\n        - to: direct:recursive-call\n`,
      "x",
    );
    expect(reply.json.error).toContain("call depth");
    const taps = `${hook("tapped", "to: direct:recursive-tap")}- route:\n    id: recursive-tap\n    from:\n      uri: direct:recursive-tap\n      steps:\n        - wireTap: {uri: "direct:recursive-tap"}\n        - wireTap: {uri: "direct:recursive-tap"}\n`;
    expect((await deployAndCall("tapped", taps, "x")).status).toBe(200);
    await sleep(1500);
    expect((await server.api("DELETE", "/flows/tapped")).status).toBeLessThan(300);
  }, 120_000);

  it("nested multicasts fail with 'exchange limit'", async () => {
    const levels = Array.from(
      { length: 6 },
      (_, level) =>
        `- route:\n    id: multicasts-${level}\n    from:\n      uri: direct:multicasts-${level}\n      steps:\n        - multicast:\n            steps:\n${Array.from({ length: 10 }, () => (level === 5 ? "              - setProperty: {name: p, constant: x}\n" : `              - to: direct:multicasts-${level + 1}\n`)).join("")}`,
    ).join("");
    const reply = await deployAndCall("multicasts", hook("multicasts", "to: direct:multicasts-0") + levels, "x");
    expect(reply.json.error).toContain("exchange limit");
  }, 120_000);

  it("calls over the limit are rejected with 503 and Retry-After, others continue", async () => {
    await server.putFlow("busy", hook("busy", 'delay: {constant: "15000"}'));
    const calls = Array.from({ length: 1000 }, () => call(server.baseUrl, "POST", "/api/busy", "x"));
    const replies = await Promise.all(calls);
    const refused = replies.filter(({ status }) => status === 503);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(200);
    expect(refused).toHaveLength(800);
    expect(refused.every(({ headers }) => headers.get("retry-after") === "1")).toBe(true);
  }, 120_000);
});

describe("a message that doubles in size", () => {
  it.each([
    ["doubled-text", 'setBody: {simple: "${body}${body}"}', "x"],
    ["doubled-list", 'setBody: {jq: "[., .]"}', "1"],
    ["doubled-jsonata", 'setBody: {jsonata: "[[$], [$]]"}', "1"],
  ])(
    "%s is limited",
    async (id, step, body) => {
      const reply = await deployAndCall(id, hook(id, `loop: {constant: "60", steps: [{${step}}]}`), body);
      expect(reply.status).toBeGreaterThanOrEqual(500);
      expect(await runErrors(id)).toMatch(/size limit|time limit/);
    },
    120_000,
  );
});

it("a run that exceeds its deadline also ends the parts of its split", async () => {
  const slow = await spawnServer({ env: { SERVICE_RUN_MS: "500" } });
  try {
    await slow.putFlow("overdue", hook("overdue", 'split: {tokenize: {token: ","}, steps: [{delay: {constant: "200"}}, {log: "part ${body}"}]}'));
    const reply = await call(slow.baseUrl, "POST", "/api/overdue", Array.from({ length: 50 }, (_, index) => index).join(","));
    expect(reply.status).toBe(504);
    await sleep(300);
    const seen = (slow.output().match(/part \d+/g) ?? []).length;
    await sleep(1000);
    expect((slow.output().match(/part \d+/g) ?? []).length).toBe(seen);
    expect(seen).toBeLessThan(10);
    await eventually(async () => (await slow.api("GET", "/health")).json !== undefined);
  } finally {
    await slow.end("SIGKILL");
    slow.clean();
  }
}, 120_000);
