// Text that flows load from files: where it is found, and which files are rejected.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, startTestServer, type StartedServer } from "./started-server.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-texts-"));
const texts = join(folder, "texts");
let server: StartedServer;

beforeAll(async () => {
  mkdirSync(join(texts, "sql"), { recursive: true });
  writeFileSync(join(folder, "outside.txt"), "not for flows");
  writeFileSync(join(texts, "greeting.txt"), "Hello ${body},\nwelcome\n");
  writeFileSync(join(texts, "sql", "rule.simple"), "${body} == 'yes'\n");
  writeFileSync(join(texts, "names.jq"), ".items | map(.name)\n");
  writeFileSync(join(texts, "broken.simple"), "one\ntwo ${nothing(\n");
  writeFileSync(join(texts, "large.txt"), "x".repeat(1024 * 1024 + 1));
  writeFileSync(join(texts, "latin.txt"), Buffer.from([0x66, 0xfc, 0x72]));
  writeFileSync(join(texts, ".env"), "PASSWORD=x");
  symlinkSync(join(folder, "outside.txt"), join(texts, "link.txt"));
  symlinkSync(folder, join(texts, "up"));
  symlinkSync(join(texts, ".env"), join(texts, "settings.txt"));
  server = await startTestServer({ env: { SERVICE_RESOURCES: texts } });
});
afterAll(async () => {
  await server.end();
  rmSync(folder, { recursive: true, force: true });
});

const flow = (step: string): string => `- route: {id: r, from: {uri: "platform-http:/r", steps: [${step}]}}`;
const replyTo = async (step: string, body: string, headers?: Record<string, string>): Promise<string> => {
  const put = await server.putFlow("r", flow(step));
  expect([put.status, put.text]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
  return (await call(server.baseUrl, "POST", "/r", body, headers)).text;
};

describe("text in a file", () => {
  it("is used unchanged by expressions of every language", async () => {
    expect(await replyTo(`{setBody: {simple: "resource:classpath:greeting.txt"}}`, "Ada")).toBe("Hello Ada,\nwelcome\n");
    expect(await replyTo(`{setBody: {simple: "resource:file:greeting.txt"}}`, "Ada")).toBe("Hello Ada,\nwelcome\n");
    expect(await replyTo(`{setBody: {constant: "resource:classpath:/greeting.txt"}}`, "Ada")).toBe("Hello ${body},\nwelcome\n");
    expect(await replyTo(`{setBody: {simple: "resource:file:${join(texts, "greeting.txt")}"}}`, "Ada")).toBe("Hello Ada,\nwelcome\n");
    expect(await replyTo(`{setBody: {jq: "resource:classpath:names.jq"}}`, '{"items":[{"name":"a"},{"name":"b"}]}')).toBe('["a","b"]');
    expect(await replyTo(`{to: "language:simple:classpath:greeting.txt"}`, "Bob")).toBe("Hello Bob,\nwelcome\n");
  });

  it("works as a predicate", async () => {
    const step = `{filter: {simple: "resource:classpath:sql/rule.simple", steps: [{setBody: {constant: passed}}]}}`;
    expect(await replyTo(step, "yes")).toBe("passed");
    expect(await replyTo(step, "no")).toBe("no");
  });

  it("is found in the data directory first", async () => {
    mkdirSync(join(server.dataDir, "resources"), { recursive: true });
    writeFileSync(join(server.dataDir, "resources", "names.jq"), ".first");
    expect(await replyTo(`{setBody: {jq: "resource:classpath:names.jq"}}`, '{"first": "own"}')).toContain("own");
  });

  it("an error in the file is reported with the file and its line", async () => {
    const put = await server.putFlow("wrong", flow(`{setBody: {simple: "resource:file:broken.simple"}}`).replace("id: r", "id: wrong"));
    expect([put.status, put.text]).toEqual([422, expect.stringContaining("in the file broken.simple:2")]);
  });
});

describe("text is not loaded from", () => {
  it.each([
    ["missing.txt", "is not in any folder", "SERVICE_RESOURCES"],
    ["../outside.txt", "must not contain '..'", "resource:file:"],
    ["sql/../../outside.txt", "must not contain '..'", "resource:file:"],
    ["link.txt", "is a link to a file outside its folder", "the file itself"],
    ["up/outside.txt", "is a link to a file outside its folder", "the file itself"],
    [".env", "is hidden", "resource:file:"],
    ["settings.txt", "is a link to a hidden file or into a hidden folder", "no name that starts with a dot"],
    ["large.txt", "has 1048577 bytes", "smaller"],
    ["latin.txt", "is not UTF-8", "UTF-8"],
    ["sql", "is not a file", "specify a file"],
    [join(folder, "outside.txt"), "is not in any folder", "SERVICE_RESOURCES"],
    ["${header.file}", "must not depend on the message", "without ${…}"],
    ["", "is empty", "resource:file:"],
  ])("resource:file:%s", async (name, problem, fix) => {
    const put = await server.putFlow("wrong", flow(`{setBody: {constant: "resource:file:${name}"}}`).replace("id: r", "id: wrong"));
    expect(put.status).toBe(422);
    expect(put.text).toContain(problem);
    expect(put.text).toContain(fix);
    expect(put.text).not.toContain("not for flows");
  });

  it("locations other than files", async () => {
    const put = await server.putFlow("wrong", flow(`{setBody: {simple: "resource:http://host/x"}}`).replace("id: r", "id: wrong"));
    expect([put.status, put.text]).toEqual([422, expect.stringContaining("cannot be loaded from 'http:'")]);
  });

  it("a file named in a message", async () => {
    expect(await replyTo(`{setBody: {simple: "\${body}"}}`, "resource:file:greeting.txt")).toBe("resource:file:greeting.txt");
  });
});
