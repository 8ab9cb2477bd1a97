// A third-party connector: built and tested by its author, packed, installed by an operator with its own copy of the contract, and used by the
// packaged runtime.
import { execFile } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { packPackages } from "../../scripts/publish/pack.mjs";
import { install } from "../npm-install.ts";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sluice third-party-"));
const author = join(folder, "author");
const operator = join(folder, "operator");
/** A package as `sluice new connector` writes it, which uses the connector kit. */
const generated = join(folder, "acme");
const command = join(operator, "node_modules/sluice/bin/sluice.cjs");
let skipReason: string | undefined;
let tests = "";

beforeAll(async () => {
  cpSync(join(root, "examples/line-connector"), author, { recursive: true, filter: (path) => !path.endsWith("dist") });
  // The result of `npm install` for the author: the published packages and the compiler.
  symlinkSync(join(root, "node_modules"), join(author, "node_modules"), "junction");
  tests = (await run("npm", ["test"], { cwd: author, maxBuffer: 16 << 20 })).stdout;
  mkdirSync(operator);
  writeFileSync(join(operator, "package.json"), "{}");
  await run(process.execPath, [join(root, "packages/cli/bin/sluice.cjs"), "new", "connector", generated]);
  const folders = [author, generated, ...["model", "engine", "connector-kit", "cli"].map((name) => join(root, "packages", name))];
  const tarballs = (await packPackages(folders, folder)).map(({ tarball }: { readonly tarball: string }) => tarball);
  skipReason = await install(["--prefix", operator, ...tarballs]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const skipIfNotInstalled = ({ skip }: TestContext): void => skip(skipReason !== undefined, skipReason);

/** The replies to some lines, in order. */
async function replies(port: number, ...lines: readonly string[]): Promise<readonly string[]> {
  const socket = connect(port, "127.0.0.1");
  const received: string[] = [];
  const done = new Promise<void>((resolve, reject) => {
    socket.on("error", reject).on("close", () => resolve());
    createInterface({ input: socket })
      .on("error", reject)
      .on("line", (line) => received.push(line) === lines.length && resolve());
  });
  socket.write(lines.map((line) => `${line}\n`).join(""));
  await done;
  socket.destroy();
  return received;
}

const flowOf = (port: number): string => `
- onException:
    exception: [line.LineException]
    handled: {constant: true}
    steps: [{setBody: {simple: "partner down: \${exception.message}"}}]
- route:
    id: ask
    from:
      uri: webhook
      steps:
        - to: {id: send, uri: "line:127.0.0.1:${port}?timeout=5s"}
- route:
    id: answer
    from:
      uri: "line:127.0.0.1:${port}"
      steps:
        - filter:
            simple: "\${body} == 'bad'"
            steps: [{throwException: {exceptionType: java.lang.IllegalArgumentException, message: no}}]
        - setBody: {simple: "Hello \${body}"}
`;

const post = async (server: SpawnedServer, body: string): Promise<string> => (await fetch(`${server.baseUrl}/api/ask`, { method: "POST", body })).text();

/** The command of the operator's installation, in the operator's folder. */
async function sluice(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const { PATH } = process.env;
  return run(process.execPath, [command, ...args], { cwd: operator, env: { PATH, NO_COLOR: "1", ...env } }).then(
    ({ stdout, stderr }) => ({ exit: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ exit: code, output: stdout + stderr }),
  );
}

describe("a third-party connector (needs the npm registry)", () => {
  it("passes its own tests, including the connector suite", () => {
    expect(tests).toMatch(/^# fail 0$/m);
    expect(tests).toMatch(/^ok \d+ - starts, stops without leaks and starts again$/m);
  });

  it("has its own copy of the contract", (context) => {
    skipIfNotInstalled(context);
    for (const name of ["@sluice/engine", "@sluice/model", "@sluice/connector-kit", "sluice-connector-line", "sluice-connector-acme"])
      expect(lstatSync(join(operator, "node_modules", name)).isSymbolicLink()).toBe(false);
  });

  it.for(["1", "2"])("receives, sends and fails like a built-in one, with %s worker(s)", async (workers, context) => {
    skipIfNotInstalled(context);
    const port = await freePort();
    const server = await spawnServer({ file: command, cwd: operator, env: { SERVICE_CONNECTORS: "sluice-connector-line", SERVICE_WORKERS: workers } });
    try {
      expect(await server.putFlow("lines", flowOf(port))).toMatchObject({ status: 201 });
      expect(await replies(port, "Ada", "bad", "Grace")).toEqual(["Hello Ada", expect.stringMatching(/^ERROR /), "Hello Grace"]);
      expect(await post(server, "Alan")).toBe("Hello Alan");
      const { json } = await server.api("GET", "/runs?routeId=answer");
      expect(json.runs.map(({ status }: { status: string }) => status).toSorted()).toEqual(["completed", "completed", "completed", "failed"]);
      expect(await server.api("POST", "/routes/answer/stop")).toMatchObject({ status: 200 });
      expect(await post(server, "Alan")).toMatch(/^partner down: 127\.0\.0\.1/);
      const { json: catalog } = await server.api("GET", "/catalog");
      expect(catalog.plugins).toMatchObject([{ name: "sluice-connector-line", version: "1.0.0", connectors: ["line"] }]);
      expect(catalog.connectors.find(({ scheme }: { scheme: string }) => scheme === "line")).toMatchObject({
        roles: ["source", "sink"],
        syntax: "line:host:port",
      });
      expect(await server.end()).toBe(0);
    } finally {
      await server.end("SIGKILL");
      server.clean();
    }
  });

  it("does not start while its port is in use, and starts when it is free", async (context) => {
    skipIfNotInstalled(context);
    const portHolder = createServer().listen(0, "127.0.0.1");
    await once(portHolder, "listening");
    const { port } = portHolder.address() as AddressInfo;
    const server = await spawnServer({ file: command, cwd: operator, env: { SERVICE_CONNECTORS: "sluice-connector-line" } });
    try {
      const { status, text } = await server.putFlow("lines", flowOf(port));
      expect([status, text]).toEqual([201, expect.stringContaining("cannot listen on")]);
      portHolder.close();
      await expect.poll(() => replies(port, "Ada").catch(() => [])).toEqual(["Hello Ada"]);
    } finally {
      await server.end("SIGKILL");
      server.clean();
    }
  });

  it("polls with the connector kit", async (context) => {
    skipIfNotInstalled(context);
    const messages = new Map([
      ["1", "first"],
      ["2", "second"],
    ]);
    const partner = createHttpServer((request, response) => {
      const [next] = messages;
      if (request.method === "DELETE") messages.delete(request.url?.split("/").at(-1) ?? "");
      response.writeHead(request.method === "GET" && next !== undefined ? 200 : 204, { "message-id": next?.[0] ?? "" }).end(next?.[1]);
    }).listen(0, "127.0.0.1");
    await once(partner, "listening");
    const { port } = partner.address() as AddressInfo;
    const server = await spawnServer({ file: command, cwd: operator, env: { SERVICE_CONNECTORS: "sluice-connector-acme" } });
    try {
      const steps = '[{setBody: {simple: "${body} ${exchangeProperty.CamelBatchSize}"}}]';
      await server.putFlow("polled", `- route: {id: polled, from: {uri: "acme:127.0.0.1:${port}?delay=50ms", steps: ${steps}}}`);
      await expect.poll(() => messages.size).toBe(0);
      const { json } = await server.api("GET", "/runs?routeId=polled");
      expect(json.runs.map(({ status }: { status: string }) => status)).toEqual(["completed", "completed"]);
      partner.close();
      partner.closeAllConnections();
      await expect.poll(async () => (await server.api("GET", "/flows/polled")).text).toContain("cannot be reached");
    } finally {
      await server.end("SIGKILL");
      server.clean();
      partner.close();
    }
  });

  it("is loaded by lint and doctor, which report its errors", async (context) => {
    skipIfNotInstalled(context);
    const connectors = { SERVICE_CONNECTORS: "sluice-connector-line" };
    writeFileSync(join(operator, "lines.yaml"), flowOf(7000));
    expect(await sluice({}, "lint", "lines.yaml")).toMatchObject({ exit: 1, output: expect.stringContaining("unknown connector 'line'") });
    expect(await sluice(connectors, "lint", "lines.yaml")).toMatchObject({ exit: 0 });
    writeFileSync(join(operator, "wrong.yaml"), flowOf(7000).replace("timeout=5s", "timeout=soon"));
    expect(await sluice(connectors, "lint", "wrong.yaml")).toMatchObject({ exit: 1, output: expect.stringContaining("expected a duration") });
    expect((await sluice(connectors, "doctor")).output).toMatch(/✓ connectors +sluice-connector-line 1\.0\.0: connectors line\n/);
    const broken = { SERVICE_CONNECTORS: "sluice-connector-line,nosuch" };
    expect((await sluice(broken, "lint", "lines.yaml")).output).toMatch(
      /^nosuch:1:1 plugin-missing .*'nosuch' is not installed.*\(fix: run 'npm install nosuch'/,
    );
    expect((await sluice(broken, "doctor")).output).toMatch(/✗ connectors .*'nosuch' is not installed/);
    expect(await sluice({ ...broken, SERVICE_PORT: "0" }, "run")).toMatchObject({
      exit: 2,
      output: expect.stringMatching(/^sluice run: plugin-missing: SERVICE_CONNECTORS: the package 'nosuch' is not installed/),
    });
  });

  it("is listed in the schema for editors", async (context) => {
    skipIfNotInstalled(context);
    const { output } = await sluice({ SERVICE_CONNECTORS: "sluice-connector-line" }, "schema");
    expect(JSON.stringify(JSON.parse(output))).toContain("Sink: timeout for connecting and for a reply.");
  });
});
