// Tests the handling of a file for each possible outcome of its run.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, flow, realTimeHost, type FakeHost } from "@sluice/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileConnector } from "./file.ts";

let base = "";

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "sluice-settled-"));
  await writeFile(join(base, "a.txt"), "one");
});
afterEach(() => rm(base, { recursive: true, force: true }));

const route = (options: string, steps: string): string => `
- route:
    id: orders
    from:
      uri: "file:.?initialDelay=0&delay=60000${options}"
      steps:
        - to: mock:received
${steps}`;

async function startFlow(yaml: string, drainMs = 30_000) {
  const host = realTimeHost() as FakeHost;
  const running = await flow(yaml, { host, connectors: [fileConnector({ root: base })], limits: { drainMs } });
  await eventually(() => running.mocks.get("received") !== undefined);
  expect(running.mocks.get("received")).toHaveLength(1);
  return running;
}

async function files(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(base, { withFileTypes: true, recursive: true }))
    if (entry.isFile())
      found[join(entry.parentPath, entry.name).slice(base.length + 1)] = await readFile(join(entry.parentPath, entry.name), "utf8").catch(
        () => "moved meanwhile",
      );
  return found;
}

const expectFiles = (expected: Record<string, string>): Promise<void> => expect.poll(files, { interval: 10 }).toEqual(expected);

describe("a file", () => {
  for (const [outcome, options] of [
    ["stays in the directory", ""],
    ["is moved back", "&preMove=.work"],
  ] as const)
    it(`${outcome}, and does not go to moveFailed, when its run was cancelled at the drain limit`, async () => {
      const running = await startFlow(route(`&moveFailed=failed${options}`, "        - delay: {constant: 600000}\n"), 100);
      await running.stop();
      await expectFiles({ "a.txt": "one" });
    });

  it("goes to moveFailed when its run failed", async () => {
    const running = await startFlow(route("&moveFailed=failed", "        - throwException: {exceptionType: java.io.IOException, message: no}\n"));
    await expectFiles({ "failed/a.txt": "one" });
    await running.stop();
  });

  it("goes to moveFailed when its run was rolled back", async () => {
    const running = await startFlow(route("&moveFailed=failed", "        - rollback: {markRollbackOnly: true}\n"));
    await expectFiles({ "failed/a.txt": "one" });
    await running.stop();
  });

  it("goes to .camel when its run succeeded", async () => {
    const running = await startFlow(route("&moveFailed=failed", ""));
    await expectFiles({ ".camel/a.txt": "one" });
    await running.stop();
  });
});

it("moves a processed file to a name computed by nested expressions", async () => {
  const running = await startFlow(route("&move=${uppercase(${file:name.noext})}.done", ""));
  await expectFiles({ "A.done": "one" });
  await running.stop();
});
