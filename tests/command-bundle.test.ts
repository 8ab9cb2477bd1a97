// The installed command: its bundle and its code cache.
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main, spawnServer, type SpawnedServer } from "./spawned-server.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const cli = join(root, "packages/cli");
const bundle = createRequire(import.meta.url)("../packages/cli/bin/bundle.cjs") as { isCurrent(): boolean };
const cacheEnding = `.${process.versions.v8}-${process.arch}.cache`;
const caches = (bundleFolder: string): string[] => readdirSync(bundleFolder).filter((name) => name.endsWith(cacheEnding));
const folder = mkdtempSync(join(tmpdir(), "sluice-bundle-"));

/** The installed command: only its files and the packages it depends on. */
function copyCommand(target: string): void {
  cpSync(join(cli, "bin"), join(target, "bin"), { recursive: true });
  cpSync(join(cli, "package.json"), join(target, "package.json"));
  cpSync(join(cli, "dist/bundle"), join(target, "dist/bundle"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(target, "node_modules"));
}

const runCopy = (copy: string, ...args: string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [join(copy, "bin/sluice.cjs"), ...args], { encoding: "utf8" });

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the bundled command", () => {
  it("exists and matches the last build", () => {
    expect(bundle.isCurrent(), "run `npm run build`").toBe(true);
    expect(caches(join(cli, "dist/bundle"))).toHaveLength(1);
  });

  describe("serves flows", () => {
    let server: SpawnedServer;
    beforeAll(async () => {
      const functions = join(folder, "functions.mjs");
      writeFileSync(functions, "export const twice = ({ message }) => String(message.body).repeat(2);\n");
      server = await spawnServer({ env: { SERVICE_ENABLE_JS: "true", SERVICE_FUNCTIONS: functions } });
    });
    afterAll(async () => {
      expect(await server.end("SIGTERM")).toBe(0);
      server.clean();
    });
    const replyText = async (id: string, body: string): Promise<string> => (await fetch(`${server.baseUrl}/api/${id}`, { method: "POST", body })).text();

    it("with steps of the bundle, and with what is not bundled: the operator's functions and the engine for scripts", async () => {
      await server.putFlow("hook", "- route: {id: hook, from: {uri: webhook, steps: [{unmarshal: {json: {}}}, {setBody: {simple: 'got ${body[n]}'}}]}}\n");
      expect(await replyText("hook", '{"n": 7}')).toBe("got 7");
      await server.putFlow("own", "- route: {id: own, from: {uri: webhook, steps: [{bean: twice}, {setBody: {js: 'body + 1'}}]}}\n");
      expect(await replyText("own", "ab")).toBe("abab1");
      expect(server.output()).not.toContain("Warning");
    });

    it("with rarely used parts, which are loaded on demand", async () => {
      const steps = (id: string, text: string): string => `- route: {id: ${id}, from: {uri: webhook, steps: [${text}]}}\n`;
      const packed = (format: string): string => `{marshal: {${format}: {}}}, {unmarshal: {${format}: {}}}, {convertBodyTo: {type: String}}`;
      const yaml =
        steps("query", "{setBody: {xpath: {expression: '/a/b/text()', resultType: string}}}") +
        steps("total", "{setBody: {jsonata: '$sum(lines)'}}") +
        ["gzipDeflater", "zipDeflater", "zipFile"].map((format) => steps(format, packed(format))).join("");
      const tests = "flowId: late\ntests:\n  - name: packs\n    when: {webhook: zipFile, body: hello}\n    then: [{reply: {status: 200, body: hello}}]\n";
      expect((await server.api("PUT", "/flows/late?tests=required", { yaml, tests })).json).toMatchObject({ routeCount: 5, testsPassed: 1 });
      expect(await replyText("query", "<a><b>7</b></a>")).toBe("7");
      expect(await replyText("total", '{"lines":[3,4]}')).toBe("7");
      for (const format of ["gzipDeflater", "zipDeflater", "zipFile"]) expect(await replyText(format, "hello")).toBe("hello");
      expect((await server.api("PUT", "/flows/wrong", { yaml: steps("wrong", "{setBody: {xpath: '/a['}}") })).json.error).toMatch(
        /xpath expression is invalid/,
      );
      expect((await server.api("PUT", "/flows/wrong", { yaml: steps("wrong", "{setBody: {jsonata: '$sum('}}") })).json.error).toMatch(/jsonata/);
    });
  });

  it("runs without its source modules, workers included, and replaces an invalid code cache", async () => {
    const copy = join(folder, "sluice");
    copyCommand(copy);
    const bundleFolder = join(copy, "dist/bundle");
    for (const name of caches(bundleFolder)) writeFileSync(join(bundleFolder, name), "invalid");
    const help = runCopy(copy, "lint", "--help");
    expect(help.stderr).toBe("");
    expect(help.stdout).toContain("Usage: sluice lint");
    const server = await spawnServer({ file: join(copy, "bin/sluice.cjs"), env: { SERVICE_WORKERS: "2" } });
    expect((await server.api("GET", "/health")).json).toMatchObject({ status: "UP", workers: [{ leads: true }, { leads: false }] });
    await expect.poll(() => caches(bundleFolder).map((name) => statSync(join(bundleFolder, name)).size > 100_000)).toEqual([true]);
    expect(await server.end("SIGTERM")).toBe(0);
    server.clean();
    expect(readdirSync(bundleFolder).filter((name) => name.endsWith(".next"))).toEqual([]);
  });

  it("is used in a copied checkout, regardless of file times, until the compiler output changes", () => {
    const checkout = join(folder, "checkout");
    const copy = join(checkout, "packages/cli");
    copyCommand(copy);
    mkdirSync(join(copy, "src"));
    const records = readdirSync(join(root, "packages"))
      .flatMap((name) => [`packages/${name}/dist/.tsbuildinfo`, `packages/${name}/dist/server/.tsbuildinfo`])
      .filter((path) => existsSync(join(root, path)));
    expect(records.length).toBeGreaterThan(9);
    const later = new Date(Date.now() + 60_000);
    for (const record of records) {
      cpSync(join(root, record), join(checkout, record));
      utimesSync(join(checkout, record), later, later);
    }
    expect(runCopy(copy, "--version")).toMatchObject({ status: 0, stderr: "" });
    const [changed] = records as [string];
    writeFileSync(join(checkout, changed), "{}");
    // This copy has no modules, so a start that rejects the bundle fails.
    expect(runCopy(copy, "--version").stderr).toContain("ERR_MODULE_NOT_FOUND");
  });

  it("keeps the strings of its modules, including those that look like code", () => {
    const written = spawnSync(process.execPath, [main, "new", "function", "total"], { cwd: folder, encoding: "utf8" });
    expect([written.status, written.stdout]).toEqual([0, expect.stringContaining('import("sluice/functions").Exchange')]);
  });

  it("does not expose internal commands of the supervisor", () => {
    const called = spawnSync(process.execPath, [main, "worker"], { encoding: "utf8" });
    expect([called.status, called.stderr]).toEqual([2, expect.stringContaining("unknown command 'worker'")]);
  });

  it("exits quietly when its output is closed", () => {
    const piped = spawnSync("sh", ["-c", `"${process.execPath}" "${main}" help | head -1`], { encoding: "utf8" });
    expect(piped.stderr).toBe("");
    expect(piped.stdout).toMatch(/^Usage: sluice/);
  });
});
