import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../../command/program.ts";
import { recordedTerminal } from "../../terminal/recorded-terminal.test-support.ts";
import { commands } from "../index.ts";
import { templateNames } from "./template-names.ts";

// Loading a runtime's sources takes its time: once, before the first test.
beforeAll(() => import("@sluice/server"), 300_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-new-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function sluice(...words: readonly string[]) {
  const terminal = recordedTerminal();
  return { exit: await runProgram(commands, words, terminal), output: terminal.output(), remarks: terminal.remarks() };
}

describe("sluice new", () => {
  it.each(Object.keys(templateNames))("%s makes a flow in which lint finds nothing, with tests that pass and reach every step", async (template) => {
    const path = join(folder, "invoices-2");
    expect(await sluice("new", template, path)).toMatchObject({ exit: 0, output: expect.stringContaining(`sluice test ${path}`) });
    expect(await sluice("lint", path, "--strict")).toMatchObject({ exit: 0, output: "" });
    const tested = await sluice("test", path, "--coverage");
    expect(tested, tested.output).toMatchObject({ exit: 0, output: expect.stringContaining("Coverage of invoices-2: steps 100.0 %") });
  });

  it("writes over nothing and takes no name that is no id", async () => {
    writeFileSync(join(folder, "mine.txt"), "x");
    expect(await sluice("new", "webhook", folder)).toMatchObject({ exit: 2, remarks: expect.stringMatching(/is no flow id|holds files already/) });
    expect(readdirSync(folder)).toEqual(["mine.txt"]);
    expect(await sluice("new", "webhook", join(folder, "Über uns"))).toMatchObject({
      exit: 2,
      remarks: "sluice new: 'Über uns' is no flow id: use small letters, digits, '.', '_' and '-'\n",
    });
    expect(await sluice("new", "nothing", join(folder, "a"))).toMatchObject({
      exit: 2,
      remarks: expect.stringContaining("choose one of webhook, schedule, files, router"),
    });
  });
});
