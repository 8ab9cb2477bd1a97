// `application.properties` of a project provides the same values to lint, test, deploy, run and dev.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "./spawned-server.ts";
import { startTestServer, token, type StartedServer } from "./started-server.ts";

const execute = promisify(execFile);
const flow = `- route:
    id: priced
    from:
      uri: webhook
      steps:
        - setBody: {simple: "{{greeting}} {{shop.name}}"}
`;
const tests = `flow: priced.yaml
tests:
  - name: answers with the values of the project
    when: {webhook: priced, body: x}
    then: [{reply: {body: Hello from Ada & Co}}]
`;

describe("application.properties of a project", () => {
  let folder: string;
  let server: StartedServer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sluice-project-"));
    mkdirSync(join(folder, "flows"));
    writeFileSync(join(folder, "flows/priced.yaml"), flow);
    writeFileSync(join(folder, "flows/priced.test.yaml"), tests);
    writeFileSync(join(folder, "application.properties"), "greeting = Hello from\nshop.name = {{owner}} & Co\nowner = Ada\n");
    server = await startTestServer();
  });
  afterAll(async () => {
    await server?.end();
    rmSync(folder, { recursive: true, force: true });
  });
  const sluice = (...args: readonly string[]) =>
    execute(process.execPath, [main, ...args], {
      cwd: folder,
      env: { ...process.env, SLUICE_RUNTIME: server.baseUrl, SERVICE_DEPLOY_TOKEN: token },
    });

  it("is used by lint", async () => {
    expect((await sluice("lint", "flows")).stderr).toContain("0 errors");
  });

  it("is used by test", async () => {
    expect((await sluice("test", "flows")).stdout).toContain("1 passed");
  });

  it("is sent by deploy, with another profile's values on top", async () => {
    await sluice("deploy", "flows/priced.yaml");
    const call = async (): Promise<string> => (await fetch(`${server.baseUrl}/api/priced`, { method: "POST", body: "x" })).text();
    expect(await call()).toBe("Hello from Ada & Co");
    writeFileSync(join(folder, "application-fr.properties"), "greeting = Bonjour de\n");
    await sluice("deploy", "flows/priced.yaml", "--profile", "fr");
    expect(await call()).toBe("Bonjour de Ada & Co");
  });

  it("is used by dev, which reloads the flow when a value changes", async () => {
    const dev = spawn(process.execPath, [main, "dev", "flows", "--port", "0", "--quiet"], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [dev.stdout, dev.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const exited = new Promise((resolve) => dev.on("exit", resolve));
    try {
      await expect.poll(() => output).toContain("priced: priced");
      const baseUrl = /http:\/\/[\d.:]+/.exec(output)?.[0] as string;
      const call = async (): Promise<string> => (await fetch(`${baseUrl}/api/priced`, { method: "POST", body: "x" })).text();
      expect(await call()).toBe("Hello from Ada & Co");
      writeFileSync(join(folder, "application.properties"), "greeting = Goodbye from\nshop.name = Grace\n");
      await expect.poll(call).toBe("Goodbye from Grace");
    } finally {
      dev.kill("SIGTERM");
      await exited;
    }
  });

  it("in the data directory is read with the profile of the runtime", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    writeFileSync(join(dataDir, "application.properties"), "greeting = plain\nshop.name = x");
    writeFileSync(join(dataDir, "application-prod.properties"), "greeting = production");
    const other = await startTestServer({ dataDir, env: { SERVICE_PROFILE: "prod" } });
    try {
      await other.putFlow("priced", flow);
      expect(await (await fetch(`${other.baseUrl}/api/priced`, { method: "POST", body: "x" })).text()).toBe("production x");
    } finally {
      await other.end();
    }
  });
});
