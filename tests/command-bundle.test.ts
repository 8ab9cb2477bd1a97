// The command as it is installed: one file with its compiled code beside it.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { main, spawnServer } from "./spawned-server.ts";

const cli = fileURLToPath(new URL("../packages/cli/", import.meta.url));
const bundle = createRequire(import.meta.url)("../packages/cli/bin/bundle.cjs") as { isCurrent(): boolean; readonly cache: string };
const folder = mkdtempSync(join(tmpdir(), "sluice-bundle-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the bundled command", () => {
  it("is there and belongs to what was compiled last", () => {
    expect(bundle.isCurrent(), "run `npm run build`").toBe(true);
    expect(readdirSync(join(cli, "dist/bundle")).some((name) => bundle.cache.endsWith(name))).toBe(true);
  });

  it("serves a flow", async () => {
    const server = await spawnServer();
    await server.putFlow("hook", "- route: {id: hook, from: {uri: webhook, steps: [{unmarshal: {json: {}}}, {setBody: {simple: 'got ${body[n]}'}}]}}\n");
    const reply = await fetch(`${server.baseUrl}/api/hook`, { method: "POST", body: '{"n": 7}' });
    expect(await reply.text()).toBe("got 7");
    expect(await server.end("SIGTERM")).toBe(0);
    server.clean();
  });

  it("imports what stays outside of it: the operator's functions and the engine for scripts", async () => {
    const functions = join(folder, "functions.mjs");
    writeFileSync(functions, "export const twice = ({ message }) => String(message.body).repeat(2);\n");
    const server = await spawnServer({ env: { SERVICE_ENABLE_JS: "true", SERVICE_FUNCTIONS: functions } });
    await server.putFlow("hook", "- route: {id: hook, from: {uri: webhook, steps: [{bean: twice}, {setBody: {js: 'body + 1'}}]}}\n");
    const reply = await fetch(`${server.baseUrl}/api/hook`, { method: "POST", body: "ab" });
    expect(await reply.text()).toBe("abab1");
    expect(server.output()).not.toContain("Warning");
    await server.end("SIGTERM");
    server.clean();
  });

  it("sets up what few flows need when they need it", async () => {
    const server = await spawnServer();
    const steps = (id: string, text: string): string => `- route: {id: ${id}, from: {uri: webhook, steps: [${text}]}}\n`;
    const packed = (format: string): string => `{marshal: {${format}: {}}}, {unmarshal: {${format}: {}}}, {convertBodyTo: {type: String}}`;
    const yaml =
      steps("query", "{setBody: {xpath: {expression: '/a/b/text()', resultType: string}}}") +
      steps("total", "{setBody: {jsonata: '$sum(lines)'}}") +
      ["gzipDeflater", "zipDeflater", "zipFile"].map((format) => steps(format, packed(format))).join("");
    const tests = "flowId: late\ntests:\n  - name: packs\n    when: {webhook: zipFile, body: hello}\n    then: [{reply: {status: 200, body: hello}}]\n";
    expect((await server.api("PUT", "/flows/late?tests=required", { yaml, tests })).json).toMatchObject({ routeCount: 5, testsPassed: 1 });
    const answer = async (id: string, body: string): Promise<string> => (await fetch(`${server.baseUrl}/api/${id}`, { method: "POST", body })).text();
    expect(await answer("query", "<a><b>7</b></a>")).toBe("7");
    expect(await answer("total", '{"lines":[3,4]}')).toBe("7");
    for (const format of ["gzipDeflater", "zipDeflater", "zipFile"]) expect(await answer(format, "hello")).toBe("hello");
    expect((await server.api("PUT", "/flows/wrong", { yaml: steps("wrong", "{setBody: {xpath: '/a['}}") })).json.error).toMatch(/xpath expression is wrong/);
    expect((await server.api("PUT", "/flows/wrong", { yaml: steps("wrong", "{setBody: {jsonata: '$sum('}}") })).json.error).toMatch(/jsonata/);
    await server.end("SIGKILL");
    server.clean();
  });

  it("runs without the modules it was made of, workers included, and with a cache of another V8", async () => {
    const copy = join(folder, "packages/cli");
    mkdirSync(join(copy, "dist"), { recursive: true });
    cpSync(join(cli, "bin"), join(copy, "bin"), { recursive: true });
    for (const name of ["cli", "server"]) cpSync(join(cli, "..", name, "package.json"), join(folder, "packages", name, "package.json"));
    cpSync(join(cli, "dist/bundle"), join(copy, "dist/bundle"), { recursive: true });
    symlinkSync(fileURLToPath(new URL("../node_modules", import.meta.url)), join(folder, "node_modules"));
    for (const name of readdirSync(join(copy, "dist/bundle"))) if (name.endsWith(".cache")) writeFileSync(join(copy, "dist/bundle", name), "of no use");
    const help = spawnSync(process.execPath, [join(copy, "bin/sluice.cjs"), "lint", "--help"], { encoding: "utf8" });
    expect(help.stderr).toBe("");
    expect(help.stdout).toContain("Usage: sluice lint");
    const server = await spawnServer({ file: join(copy, "bin/sluice.cjs"), env: { SERVICE_WORKERS: "2" } });
    expect((await server.api("GET", "/health")).json).toMatchObject({ status: "UP", workers: [{ leads: true }, { leads: false }] });
    expect(await server.end("SIGTERM")).toBe(0);
    server.clean();
  });

  it("has no command for what only a supervisor may call", () => {
    const called = spawnSync(process.execPath, [main, "worker"], { encoding: "utf8" });
    expect([called.status, called.stderr]).toEqual([2, expect.stringContaining("unknown command 'worker'")]);
  });

  it("ends quietly when its reader goes away", () => {
    const piped = spawnSync("sh", ["-c", `"${process.execPath}" "${main}" help | head -1`], { encoding: "utf8" });
    expect(piped.stderr).toBe("");
    expect(piped.stdout).toMatch(/^Usage: sluice/);
  });
});
