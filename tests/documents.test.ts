// Malicious and invalid documents, on a runtime in a separate process.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { residentBytes } from "./process-usage.ts";
import { call, directFlow, replyFlow } from "./started-server.ts";
import { spawnWatched, type WatchedServer } from "./watched-server.ts";

let server: WatchedServer;
beforeAll(async () => {
  server = await spawnWatched();
});
afterAll(async () => {
  await server.end();
  server.clean();
});

async function expectRejected(yaml: string, status: number, error: RegExp): Promise<void> {
  const reply = await server.api("PUT", "/flows/harm", { yaml });
  expect([reply.status, reply.json?.error]).toEqual([status, expect.stringMatching(error)]);
  expect(Object.keys(reply.json)).toEqual(["error"]);
  expect(reply.json.error.length).toBeLessThanOrEqual(500);
  expect(readdirSync(join(server.dataDir, "routes")).filter((name) => name.includes("harm"))).toEqual([]);
}

it("an alias bomb is rejected immediately and uses little memory", async () => {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `l${level + 1}: &l${level + 1} [${Array.from({ length: 9 }, () => (level === 0 ? "x" : `*l${level}`)).join(", ")}]`,
  );
  const bomb = `- route:\n    id: bomb\n    from:\n      uri: direct:bomb\n      steps:\n        - setBody: {constant: x}\n    ${levels.join("\n    ")}\n`;
  const before = residentBytes(server.pid);
  await server.checkInvariantsDuring(() => expectRejected(bomb, 400, /^invalid YAML at line \d+, column \d+: limit exceeded: /));
  expect(residentBytes(server.pid) - before).toBeLessThan(50 * 1024 * 1024);
  const self = "- route: &r\n    id: self\n    from: *r\n";
  await expectRejected(self, 400, /alias '\*r' has no anchor/);
});

it("tags and tag directives are rejected with an error that names them, and nothing is executed", async () => {
  const marker = "/tmp/sluice-was-executed";
  rmSync(marker, { force: true });
  const tagged = (value: string): string => directFlow("tagged", `setBody: {constant: ${value}}`);
  for (const [yaml, tag] of [
    [tagged(`!!js/function 'function () { require("fs").writeFileSync("${marker}", "") }'`), "!!js/function"],
    [tagged("!!js/regexp /x/"), "!!js/regexp"],
    [tagged(`!!python/object/apply:os.system ['touch ${marker}']`), "!!python/object/apply:os.system"],
    [tagged("!foo bar"), "!foo"],
    [tagged("!!str x"), "!!str"],
    [tagged("!<tag:evil.example,2026:x> y"), "!<tag:evil.example,2026:x>"],
    [`%TAG !e! tag:evil.example,2026:\n---\n${tagged("x")}`, "%TAG"],
  ] as const) {
    await expectRejected(yaml, 400, new RegExp(`^invalid YAML at line \\d+, column \\d+: .*${tag.replaceAll(/[!()/<>,.:]/g, "\\$&")}`));
  }
  expect(existsSync(marker)).toBe(false);
});

it("a duplicate key is rejected with the line of its second occurrence", async () => {
  await expectRejected(
    "- route:\n    id: twice\n    from:\n      uri: direct:a\n      uri: direct:b\n      steps:\n        - log: x\n",
    400,
    /^invalid YAML at line 5, column 7: duplicate key 'uri'/,
  );
  await expectRejected(directFlow("twice", "setBody: {constant: a, constant: b}"), 400, /line 6, .*duplicate key 'constant'/);
});

it("a second document is rejected, not silently dropped", async () => {
  const two = `${replyFlow("one", "1")}---\n${replyFlow("two", "2")}`;
  await expectRejected(two, 400, /one YAML document, but this text has several/);
  await expectRejected(`${replyFlow("one", "1")}...\n${replyFlow("two", "2")}`, 400, /one YAML document/);
  expect((await server.api("PUT", "/flows/led", { yaml: `---\n${replyFlow("led", "1")}` })).status).toBe(201);
});

it("ids are the source text, without YAML conversion", async () => {
  for (const id of ["007", "1e3", "yes", "2026-01-01", "0x10", "1_000", "~x", "0o7", ".5"]) {
    const put = await server.api("PUT", "/flows/typed", {
      yaml: `- route:\n    id: ${id}\n    from: {uri: webhook, steps: [{setBody: {constant: "${id}"}}]}\n`,
    });
    expect([id, put.status < 300, put.json.routes?.[0].id]).toEqual([id, true, id]);
    const { flows } = (await server.api("GET", "/flows")).json as { flows: { id: string; routes: { id: string }[] }[] };
    expect(flows.find((flow) => flow.id === "typed")?.routes).toEqual([{ id, status: "Started" }]);
    expect((await call(server.baseUrl, "POST", `/api/${encodeURIComponent(id)}`, "")).text).toBe(id);
  }
  for (const id of ["[a]", "{a: b}"]) {
    await expectRejected(`- route:\n    id: ${id}\n    from: {uri: webhook, steps: [{log: x}]}\n`, 422, /^line 2: option 'id' of route/);
  }
  await expectRejected("- route:\n    id: null\n    from: {uri: webhook, steps: [{log: x}]}\n", 422, /^line 2: option 'id' of route/);
});

it("circular, exponentially growing or unknown placeholders are rejected with an error that names them", async () => {
  const using = (name: string): string => directFlow("placed", `setBody: {constant: '{{${name}}}'}`);
  const put = async (yaml: string, params: Record<string, string>): Promise<[number, string]> => {
    const reply = await server.api("PUT", "/flows/placed", { yaml, params });
    return [reply.status, reply.json.error];
  };
  await server.checkInvariantsDuring(async () => {
    expect(await put(using("a"), { a: "{{b}}", b: "{{a}}" })).toEqual([
      422,
      expect.stringMatching(/^line 6: the placeholder 'a' refers to itself \(a -> b -> a\)/),
    ]);
    const doubling = Object.fromEntries(Array.from({ length: 30 }, (_, level) => [`p${level}`, level === 0 ? "xx" : `{{p${level - 1}}}{{p${level - 1}}}`]));
    expect(await put(using("p29"), doubling)).toEqual([422, expect.stringMatching(/^line 6: the placeholder 'p\d+' /)]);
    expect(await put(using("nobody"), {})).toEqual([422, "line 6: no value for parameter 'nobody'"]);
  });
  expect((await server.api("GET", "/flows/placed")).status).toBe(404);
});

it("a flow at the size limits does not block others, and a larger one is rejected", async () => {
  const steps = (count: number, text: string): string => directFlow("large", ...Array.from({ length: count }, (_, index) => `log: "${index} ${text}"`));
  // 20,000 steps of 245 characters are 4.9 MB.
  await server.checkInvariantsDuring(() => expectRejected(steps(20_000, "x".repeat(220)), 400, /limit exceeded/));
  // Flows of the maximum accepted size: the worst cases.
  for (const yaml of [
    steps(2_500, "x".repeat(170)),
    steps(2_500, "x"),
    `${replyFlow("large", "x")}${"# comment\n".repeat(15_000)}`,
    directFlow("large", `setBody: {constant: "${"y".repeat(500_000)}"}`),
    directFlow("large", `setBody: {simple: "${"${body}".repeat(60_000)}"}`),
  ]) {
    await server.checkInvariantsDuring(async () => {
      const reply = await server.api("PUT", "/flows/large", { yaml });
      expect([yaml.slice(0, 120), reply.status, reply.json.error]).toEqual([yaml.slice(0, 120), expect.toSatisfy((status) => status < 300), undefined]);
    });
  }
});

it("names of prototype members are inert or rejected at every level", async () => {
  for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
    for (const yaml of [
      `- ${name}: {polluted: yes}\n`,
      `- route:\n    ${name}: {polluted: yes}\n    from: {uri: webhook, steps: [{log: x}]}\n`,
      `- route:\n    from: {uri: webhook, ${name}: {polluted: yes}, steps: [{log: x}]}\n`,
      `- route:\n    from: {uri: webhook, steps: [{${name}: {polluted: yes}}]}\n`,
      `- route:\n    from: {uri: webhook, steps: [{setBody: {${name}: {polluted: yes}}}]}\n`,
      `- route:\n    from: {uri: webhook, parameters: {${name}: x}, steps: [{log: x}]}\n`,
      `- route:\n    from: {uri: webhook, steps: [{to: {uri: "mock:a", parameters: {${name}: x}}}]}\n`,
    ]) {
      const reply = await server.api("PUT", "/flows/named", { yaml });
      expect([yaml, reply.status]).toEqual([yaml, 422]);
      expect(reply.json.error).toContain(name);
    }
    const params = await server.api("PUT", "/flows/named", `{"yaml":${JSON.stringify(replyFlow("named", "x"))},"params":{"a":{"${name}":{"polluted":"yes"}}}}`);
    expect([200, 201, 400]).toContain(params.status);
  }
  const probe = directFlow("probe", "setBody: {simple: '${header.polluted}|${exchangeProperty.polluted}|${variable.polluted}'}");
  await server.api("PUT", "/flows/probe", { yaml: probe });
  const { sessionId } = (await server.api("POST", "/test/session", { scope: "session" })).json;
  expect((await server.api("POST", "/test/invoke", { sessionId, routeId: "probe" })).json.body).toBe("||");
});
