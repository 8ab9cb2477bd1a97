import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadPlugins } from "@sluice/server/check";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../../command/program.ts";
import { recordedTerminal } from "../../terminal/recorded-terminal.test-support.ts";
import { commands } from "../index.ts";
import { productVersion } from "../../command/package-files.ts";
import { tarballsOf } from "./connector-package.ts";
import { templateNames } from "./template-names.ts";

// Loading the runtime's sources is slow: do it once, before the first test.
beforeAll(() => import("@sluice/server"), 300_000);

const version = productVersion();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-new-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function sluice(...args: readonly string[]) {
  const terminal = recordedTerminal();
  return { exit: await runProgram(commands, args, terminal), output: terminal.output(), stderr: terminal.stderr() };
}

describe("sluice new", () => {
  it.each(Object.keys(templateNames))("%s creates a flow without lint findings, with passing tests that reach every step", async (template) => {
    const path = join(folder, "invoices-2");
    expect(await sluice("new", template, path)).toMatchObject({ exit: 0, output: expect.stringContaining(`sluice test ${path}`) });
    expect(readFileSync(join(path, "invoices-2.yaml"), "utf8")).toMatch(/^# yaml-language-server: \$schema=flow\.schema\.json\n- /);
    expect(JSON.parse(readFileSync(join(path, "flow.schema.json"), "utf8"))).toMatchObject({ $id: expect.any(String), type: "array" });
    expect(readFileSync(join(path, "invoices-2.test.yaml"), "utf8")).toMatch(/^# yaml-language-server: \$schema=test\.schema\.json\n/);
    expect(JSON.parse(readFileSync(join(path, "test.schema.json"), "utf8"))).toMatchObject({ $id: expect.any(String), type: "object" });
    expect(await sluice("lint", path, "--strict")).toMatchObject({ exit: 0, output: "" });
    const tested = await sluice("test", path, "--coverage");
    expect(tested, tested.output).toMatchObject({ exit: 0, output: expect.stringContaining("Coverage of invoices-2: steps 100.0%") });
  });

  it("connector creates a package with passing tests that a runtime can load", async () => {
    const path = join(folder, "acme-erp");
    expect(await sluice("new", "connector", path)).toMatchObject({ exit: 0, output: expect.stringContaining("npm run packages") });
    // The result of `npm install`.
    symlinkSync(fileURLToPath(new URL("../../../../../node_modules", import.meta.url)), join(path, "node_modules"), "junction");
    const { stdout } = await promisify(execFile)("npm", ["test"], { cwd: path });
    expect(stdout).toMatch(/^[#ℹ] pass 11\n[#ℹ] fail 0$/m);
    const { packages } = await loadPlugins({ connectors: path, functions: undefined });
    expect(packages).toMatchObject([{ name: "sluice-connector-acme-erp", connectors: ["acme-erp"] }]);
    expect(await sluice("new", "connector", path)).toMatchObject({ exit: 2, stderr: expect.stringContaining("is not empty") });
    const packed = join(folder, "packed");
    expect(await sluice("new", "connector", join(folder, "acme"), "--packages", packed)).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/'.*packed' does not contain sluice-connector-kit-.*: run `npm run packages` in a clone/),
    });
    mkdirSync(packed);
    for (const name of tarballsOf(version)) writeFileSync(join(packed, name), "");
    const created = await sluice("new", "connector", join(folder, "acme"), "--packages", packed);
    expect(created).toMatchObject({ exit: 0, output: expect.stringContaining("npm install && npm test") });
    expect(JSON.parse(readFileSync(join(folder, "acme/package.json"), "utf8"))).toMatchObject({
      dependencies: { "@sluice/engine": `file:../packed/sluice-engine-${version}.tgz` },
      devDependencies: { "@sluice/testkit": `file:../packed/sluice-testkit-${version}.tgz` },
    });
    expect(await sluice("new", "connector", join(folder, "9lives"))).toMatchObject({ exit: 2, stderr: expect.stringContaining("is not a valid scheme") });
  });

  it("function generates everything that lint reports as missing", async () => {
    const flow = join(folder, "orders.yaml");
    const module = join(folder, "functions.mjs");
    writeFileSync(
      flow,
      `- beans: [{name: check, type: com.acme.Check}, {name: join, type: com.acme.Join}]
- route:
    id: orders
    from:
      uri: webhook
      steps:
        - bean: {ref: orders, method: total}
        - to: {uri: "bean:check", parameters: {method: ok}}
        - process: {ref: my-step}
        - split: {simple: "\${body}", aggregationStrategy: "#class:com.acme.Merge"}
        - split: {simple: "\${body}", aggregationStrategy: "#join"}
        - split: {simple: "\${body}", aggregationStrategy: join}
`,
    );
    const { output } = await sluice("lint", flow);
    const suggested = [...output.matchAll(/\(sluice (new function .*?) writes it\)/g)].map(([, args]) => (args as string).split(" "));
    expect(output).toContain("export const orders = { total(exchange) { return exchange.message.body; }, };");
    // Each bean once, although two of them are declared and one is used twice.
    expect(suggested.map(([, , bean]) => bean).toSorted()).toEqual(["com.acme.Check", "com.acme.Join", "com.acme.Merge", "my-step", "orders"]);
    for (const args of suggested) {
      expect(await sluice(...args, "--file", module)).toMatchObject({ exit: 0 });
    }
    process.env["SERVICE_FUNCTIONS"] = module;
    try {
      expect(await sluice("lint", flow)).toMatchObject({ exit: 0, output: "" });
    } finally {
      delete process.env["SERVICE_FUNCTIONS"];
    }
    expect(await sluice("new", "function", "orders", "--method", "tax", "--file", module)).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/already exports 'orders'[^]*tax\(exchange\)/),
    });
    for (const name of ["a b", "1;x"]) expect(await sluice("new", "function", name, "--file", module)).toMatchObject({ exit: 2 });
  });

  it("overwrites nothing and rejects invalid names", async () => {
    writeFileSync(join(folder, "mine.txt"), "x");
    expect(await sluice("new", "webhook", folder)).toMatchObject({ exit: 2, stderr: expect.stringMatching(/is not a valid flow id|is not empty/) });
    expect(readdirSync(folder)).toEqual(["mine.txt"]);
    expect(await sluice("new", "webhook", join(folder, "Über uns"))).toMatchObject({
      exit: 2,
      stderr: "sluice new: 'Über uns' is not a valid flow id: use lower-case letters, digits, '.', '_' and '-'\n",
    });
    expect(await sluice("new", "nothing", join(folder, "a"))).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("choose one of webhook, schedule, files, router"),
    });
  });
});
