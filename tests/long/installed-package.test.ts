// The packages as users get them: packed, installed into an empty folder, and used there.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { manifestProblems } from "../../scripts/publish/manifest-problems.mjs";
import { packPackages, publishablePackages } from "../../scripts/publish/pack.mjs";
import { cliFolder, type CliFolder } from "../cli-process.ts";
import { install } from "../npm-install.ts";
import { spawnServer } from "../spawned-server.ts";
import { token } from "../started-server.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
// With a space in the name, as in the names of many real folders.
const folder = mkdtempSync(join(tmpdir(), "sluice installed-"));
const tarballs = new Map<string, string>();

beforeAll(async () => {
  const packages = publishablePackages();
  const packed = await packPackages(
    packages.map(({ folder: from }) => from),
    folder,
  );
  for (const [index, { manifest }] of packages.entries()) tarballs.set(manifest.name, packed[index]!.tarball);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The code blocks of a README that are programs. */
function programs(packageFolder: string): string[] {
  const text = readFileSync(join(root, "packages", packageFolder, "README.md"), "utf8");
  return [...text.matchAll(/```(?:js|ts)\n(.*?)```/gs)].map(([, code]) => code as string);
}

describe("the sluice package (needs the npm registry)", () => {
  const prefix = join(folder, "prefix");
  const installed = join(prefix, process.platform === "win32" ? "node_modules/sluice" : "lib/node_modules/sluice");
  let skipReason: string | undefined;
  let userFolder: CliFolder;

  beforeAll(async () => {
    mkdirSync(prefix);
    skipReason = await install(["--global", "--prefix", prefix, tarballs.get("sluice") as string]);
    userFolder = cliFolder({ SERVICE_PORT: "0", DESIGNER_PORT: "0", NO_COLOR: "1" }, join(installed, "bin/sluice.cjs"));
    if (skipReason !== undefined) return;
    // Node without SQLite: install the package as `sluice doctor` says, where the installation and its copy find it.
    const { output } = await userFolder.sluice("doctor");
    const [, specifier] = /fix: run 'npm i (\S+)'/.exec(output) ?? [];
    expect(specifier === undefined, output).toBe(/✓ durable store/.test(output));
    if (specifier !== undefined) skipReason = await install(["--ignore-scripts", "--prefix", folder, specifier]);
  });
  afterAll(() => userFolder.remove());
  const skipIfNotInstalled = ({ skip }: TestContext): void => skip(skipReason !== undefined, skipReason);

  it("includes no compiler, no bundler and few packages", async (context) => {
    skipIfNotInstalled(context);
    const { stdout } = await run("npm", ["ls", "--global", "--prefix", prefix, "--all", "--parseable"]);
    const names = stdout.trim().split("\n").slice(1);
    expect(names.length).toBeLessThanOrEqual(35);
    expect(names.filter((path) => /typescript|rolldown|vite|esbuild|rollup|sqlite|@sluice/.test(path))).toEqual([]);
    expect(existsSync(join(prefix, process.platform === "win32" ? "sluice.cmd" : "bin/sluice"))).toBe(true);
  });

  it("prints its version, platform, Node and optional parts", async (context) => {
    skipIfNotInstalled(context);
    const { output } = await userFolder.sluice("--version");
    const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { readonly version: string };
    expect(output.split("\n")).toEqual([
      version,
      expect.stringContaining(`Node ${process.versions.node}, ${process.platform} ${process.arch}`),
      expect.stringContaining("durable store: yes"),
      expect.stringContaining("js language: yes"),
      "",
    ]);
    expect((await userFolder.sluice("doctor")).output).toMatch(/✓ platform .*\n✓ durable store .*\n✓ js language .*\n✓ functions /);
  });

  it("starts, serves a first flow, and shows the designer", async (context) => {
    skipIfNotInstalled(context);
    userFolder.put({ "hello.yaml": "- route: {id: hello, from: {uri: webhook, steps: [{setBody: {id: greet, simple: 'Hello ${body}'}}]}}\n" });
    const script = `
      sluice start > start.out 2> start.err & started=$!
      until grep -q '^Deploy token' start.err; do kill -0 $started; sleep 0.1; done
      runtime=$(awk '/^Runtime/ {print $2}' start.err); designer=$(awk '/^Designer/ {print $2}' start.err)
      curl -sS -T hello.yaml -H "Authorization: Bearer $(cat sluice-data/deploy-token)" -H "Content-Type: application/yaml" $runtime/_api/flows/hello; echo
      curl -sS $runtime/api/hello -d Ada; echo
      sluice runs --runtime $runtime
      sluice trace --runtime $runtime > trace.out & tracing=$!
      until grep -q greet trace.out; do curl -sS $runtime/api/hello -d Grace > reply.out; sleep 0.2; done
      kill $tracing
      curl -sS $designer/ > page.html
      curl -sS -o page.js -w '%{http_code} %{content_type}\\n' $designer$(grep -o '/assets/index-[^"]*js' page.html | head -1)
      kill $started; wait $started; echo "ended $?"`;
    const { output, stderr } = await userFolder.shell(`set -e\n${script}`);
    expect(output, stderr).toMatch(/"id":"hello","created":true.*\nHello Ada\n.*ROUTE.*\n.* completed +hello +run_.*\n200 text\/javascript.*\nended 0\n$/);
  });

  it("runs all commands in an empty folder", async (context) => {
    skipIfNotInstalled(context);
    const script = `
      sluice new webhook orders && sluice lint orders && sluice test orders
      sluice run > run.out 2>&1 & running=$!
      until grep -q baseUrl run.out; do kill -0 $running; sleep 0.1; done
      export SLUICE_RUNTIME=$(grep -o 'http://[^"]*' run.out | head -1)
      sluice deploy orders --param partnerUrl=http://127.0.0.1:9 && sluice runs && sluice doctor > doctor.out
      kill $running; wait $running; echo "ended $?"`;
    const { output, stderr } = await userFolder.shell(`set -e\n${script}`, { SERVICE_DEPLOY_TOKEN: "secret", SLUICE_TOKEN: "secret" });
    expect(output, stderr).toMatch(/2 passed[^]*orders Started http.*\nended 0\n$/);
    const dev = await userFolder.interruptAfter("sluice dev orders --port 0", "Serving");
    expect(dev.exit, dev.stderr).toBe(0);
  });

  it("runs several workers, functions, scripts and the durable store, even from a copy", async (context) => {
    skipIfNotInstalled(context);
    const copy = join(folder, "copied", "sluice");
    cpSync(installed, copy, { recursive: true });
    const functions = join(folder, "functions.mjs");
    writeFileSync(functions, "export const twice = ({ message }) => String(message.body).repeat(2);\n");
    const env = { SERVICE_WORKERS: "2", SERVICE_ENABLE_JS: "true", SERVICE_FUNCTIONS: functions };
    const server = await spawnServer({ file: join(copy, "bin/sluice.cjs"), env });
    expect((await server.api("GET", "/health")).json).toMatchObject({ status: "UP", workers: [{ leads: true }, { leads: false }] });
    const yaml =
      "- route: {id: hook, from: {uri: webhook, steps: [{bean: twice}, {setBody: {js: 'body + 1'}}, {to: 'queue:kept'}]}}\n" +
      "- route: {id: kept, from: {uri: 'queue:kept', steps: [{log: 'kept ${body}'}]}}\n";
    expect((await server.putFlow("hook", yaml)).status).toBe(201);
    expect(await (await fetch(`${server.baseUrl}/api/hook`, { method: "POST", body: "ab" })).text()).toBe("abab1");
    await expect.poll(() => server.output()).toContain("kept abab1");
    expect(await server.end("SIGTERM")).toBe(0);
    expect(server.output()).not.toMatch(/"level":"ERROR"/);
    server.clean();
  });

  it("uses its bundled code cache, wherever it is installed", (context) => {
    skipIfNotInstalled(context);
    // The tarball was packed by this Node, so V8 must accept the cache.
    const names = readdirSync(join(installed, "dist/bundle")).filter((name) => name.endsWith(".cache"));
    expect(names).toEqual([expect.stringContaining(`${process.versions.v8}-${process.arch}`)]);
    return run(process.execPath, ["-p", `require(${JSON.stringify(join(installed, "bin/bundle.cjs"))}).loadBundle().hasCache`]).then(({ stdout }) =>
      expect(stdout).toBe("true\n"),
    );
  });

  it("is a library with types", async (context) => {
    skipIfNotInstalled(context);
    const project = join(folder, "embedding");
    mkdirSync(join(project, "node_modules"), { recursive: true });
    writeFileSync(join(project, "package.json"), '{"type":"module"}');
    symlinkSync(installed, join(project, "node_modules/sluice"));
    writeFileSync(join(project, "app.mjs"), programs("cli")[0] as string);
    const { stdout } = await run(process.execPath, ["app.mjs"], { cwd: project });
    expect(stdout).toBe("Hello Ada\nHello Grace\n");
    // Without top-level await, so that CommonJS can load it too.
    const required = await run(process.execPath, ["--no-warnings", "-p", "typeof require('sluice').createSluice"], { cwd: project });
    expect(required.stdout).toBe("function\n");
    const typed = `import { createSluice, type Sluice, type SluiceOptions } from "sluice";
const options: SluiceOptions = { maxBody: "1MiB", logLevel: "warn", onLog: ({ message }) => console.log(message) };
const sluice: Sluice = await createSluice(options);
const { routes } = await sluice.deploy("a", "");
export const first: string | undefined = routes[0]?.url;
// @ts-expect-error: not a level
export const wrong: SluiceOptions = { logLevel: "loud" };
`;
    await compile(project, { "app.ts": typed });
  });
});

/** Type-checks files in a project as a strict consumer does. */
async function compile(project: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  mkdirSync(join(project, "node_modules/@types"), { recursive: true });
  symlinkSync(join(root, "node_modules/@types/node"), join(project, "node_modules/@types/node"));
  const flags = ["--strict", "--target", "es2023", "--module", "nodenext", "--types", "node", "--outDir", "out", "--rewriteRelativeImportExtensions"];
  const compiled = run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...flags, ...Object.keys(files)], { cwd: project });
  await compiled.catch((error: { readonly stdout: string }) => expect.fail(error.stdout));
}

describe("the libraries (needs the npm registry)", () => {
  const project = join(folder, "libraries");
  let skipReason: string | undefined;

  beforeAll(async () => {
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), '{"type":"module"}');
    skipReason = await install(["--prefix", project, ...[...tarballs].flatMap(([name, path]) => (name === "sluice" ? [] : [path]))]);
  });

  it("compile and run as their READMEs show", async ({ skip }) => {
    skip(skipReason !== undefined, skipReason);
    const [shout] = programs("engine");
    const [tested] = programs("testkit");
    const [fields] = programs("model");
    const [client] = programs("client");
    await compile(project, { "shout.ts": shout as string, "tested.ts": tested as string, "fields.ts": fields as string, "client.ts": client as string });
    const output = async (file: string, env: Readonly<Record<string, string>> = {}): Promise<string> =>
      (await run(process.execPath, [join("out", file)], { cwd: project, env: { PATH: process.env["PATH"], ...env } })).stdout;
    expect(await output("tested.js")).toBe("HELLO!! undefined 1\n");
    expect(await output("fields.js")).toBe("90000 2000\n");
    const server = await spawnServer();
    const printed = output("client.js", { SLUICE: server.baseUrl, TOKEN: token }).finally(() => server.end());
    expect(await printed).toBe("deployed\n412\n");
    server.clean();
  });
});

describe("checks that publish:check adds to publint", () => {
  it.each([
    [{ dependencies: { "@sluice/server": "1" } }, ["README.md", "LICENSE", "package.json"], "dependency '@sluice/server' is not published"],
    [{}, ["LICENSE", "package.json"], "'README.md' is missing"],
    [{}, ["README.md", "LICENSE", "package.json", "src/a.test.ts"], "'src/a.test.ts' does not belong"],
  ])("%j with %j is rejected", (manifest, files, text) => {
    expect(manifestProblems(manifest, files, new Set(["@sluice/model"]))).toEqual([expect.stringContaining(text)]);
  });
});
