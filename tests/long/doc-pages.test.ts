// Every page of the documentation that shows commands is executed as a reader would: ../run-page.ts. doc-blocks.test.ts checks each block on its own.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { serverFor, serverPrograms } from "@sluice/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { docPages, nameOf, readPage, type Block, type DocPage } from "../doc-page.ts";
import { unreachableReason } from "../npm-install.ts";
import { firstDifference } from "../run-page.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guides = docPages().filter(({ blocks }) => blocks.some(({ kind, mode }) => kind === "sh" && mode === undefined));

it("the executed pages include the start page and at least twenty tasks", () => {
  const names = guides.map(nameOf);
  expect(names).toContain("README.md");
  expect(names).toContain("docs/start/five-minutes.md");
  expect(names.filter((name) => name.startsWith("docs/how-to/")).length).toBeGreaterThanOrEqual(20);
  expect(names.filter((name) => name.startsWith("examples/")).length).toBe(
    readdirSync(join(root, "examples"), { withFileTypes: true }).filter((entry) => entry.isDirectory()).length,
  );
});

describe("executed pages", () => {
  const needs = ({ server, needs: other }: DocPage): string => {
    const what = server === undefined ? other : serverPrograms[server.name as keyof typeof serverPrograms].title;
    return what === undefined ? "" : ` (needs ${what})`;
  };
  it.concurrent.for(guides.map((page) => [nameOf(page) + needs(page), page] as const))("%s works as described", async ([, page], { skip }) => {
    if (page.server === undefined) {
      const difference = await firstDifference(page);
      if (page.needs === "the npm registry") skip(unreachableReason(difference ?? "") !== undefined, difference);
      return expect(difference).toBeUndefined();
    }
    const server = await serverFor(page.server.name as Parameters<typeof serverFor>[0], { own: true });
    if (server === undefined) return skip();
    try {
      expect(await firstDifference(page, `${server.host}:${server.port}`)).toBeUndefined();
    } finally {
      await server.end();
    }
  });
});

describe("two pages at the same time", () => {
  const clone = mkdtempSync(join(tmpdir(), "sluice-clone-"));
  const running: ChildProcess[] = [];
  afterAll(async () => {
    for (const child of running) {
      const ended = child.exitCode !== null || new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    }
    rmSync(clone, { recursive: true, force: true });
  });
  const [startFirst, setVariables, startSecond] = readPage(join(root, "docs/how-to/index.md")).blocks.map(({ body }) => body) as [string, string, string];

  /** Starts a runtime as the page says, on free ports; resolves with its address. */
  function start(commands: string, port: string): Promise<string> {
    const env = { PATH: process.env["PATH"], HOME: clone, SERVICE_PORT: port, DESIGNER_PORT: "0" };
    const child = spawn("bash", ["-ec", commands.replace(/^(?:\w+=\d+ )+/m, "").replace(/npx sluice/, "exec node ../../node_modules/.bin/sluice")], {
      cwd: clone,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.push(child);
    let output = "";
    return new Promise((resolve, reject) => {
      const look = (chunk: Buffer): void => {
        output += chunk.toString();
        const address = /^Runtime +(\S+)/m.exec(output)?.[1];
        if (address !== undefined && output.includes("Deploy token")) resolve(address);
      };
      child.stdout.on("data", look);
      child.stderr.on("data", look);
      child.once("exit", (code) => reject(new Error(`sluice start ended with ${code}: ${output}`)));
    });
  }

  it("each have a runtime with its own port and data, as the instructions say", async () => {
    symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
    const addresses = [await start(startFirst, "0"), await start(startSecond, "0")];
    expect(new Set(addresses).size).toBe(2);
    const used = new Set([startFirst, startSecond].flatMap((commands) => [...commands.matchAll(/work\/\w+|_PORT=\d+/g)].map(([word]) => word)));
    expect([...used]).toEqual(["work/first", "work/second", "_PORT=8081", "_PORT=8091"]);
    for (const [index, name] of ["first", "second"].entries()) {
      const variables = setVariables.replace("work/first", `work/${name}`).replace("http://127.0.0.1:8080", addresses[index] as string);
      const script = `${variables}
echo "- route: {id: hello, from: {uri: webhook, steps: [{setBody: {constant: ${name}}}]}}" > hello.yaml
node ../../node_modules/.bin/sluice deploy hello.yaml > deployed.txt
curl -sS $SLUICE/api/hello -d x; echo; curl -sS -o flow.json -w '%{http_code}' -H "$AUTH" $SLUICE/_api/flows/hello`;
      const { stdout } = await promisify(execFile)("bash", ["-ec", script], { cwd: clone, env: { PATH: process.env["PATH"], HOME: clone } });
      expect(stdout).toBe(`${name}\n200`);
    }
  });
});

it("the executed pages detect a failing command and different output", async () => {
  const sh = (body: string): Block => ({ line: 1, kind: "sh", mode: undefined, file: undefined, body });
  const output = (body: string): Block => ({ ...sh(body), kind: "output" });
  const page = (...blocks: readonly Block[]) => firstDifference({ path: "page.md", settings: {}, blocks });
  expect(await page(sh('echo "$TOKEN" > a; A=1\n'), sh('cat a; echo "$A"\n'), output("T0ken-…\n1\n"))).toBeUndefined();
  expect(await page(sh("echo a\nfalse\necho b\n"))).toMatch(/^line 1: Command failed/);
  expect(await page(sh("echo a\n"), output("b\n"))).toMatch(/^line 1: the page shows\nb\n\nand the command prints\na\n/);
});
