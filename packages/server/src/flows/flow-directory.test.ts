import { linkSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listFlowFiles } from "./flow-directory.ts";
import { flowIdOfFile, inPreferenceOrder } from "./flow-file-name.ts";
import type { FlowFile } from "./flow-store.ts";

/** More than are inspected in one turn of the event loop. */
const count = 300;

let parent: string;
let directory: string;

const list = (): Promise<readonly FlowFile[]> => listFlowFiles(directory);
const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);
const sorted = <T extends { readonly file: string }>(files: T[]): T[] => files.sort((a, b) => (a.file < b.file ? -1 : 1));
const metadata = (listed: readonly FlowFile[]): readonly object[] =>
  sorted(listed.map(({ id, file, lastModified, stamp, problem, hasParams }) => ({ id, file, lastModified, stamp, isUsed: problem === undefined, hasParams })));

/** The expected listing, computed independently. */
function expectedListing(): readonly object[] {
  const all = readdirSync(directory);
  const names = inPreferenceOrder(all.filter((name) => flowIdOfFile(name) !== undefined));
  return sorted(
    names.map((file, index) => {
      const flowId = flowIdOfFile(file) as string;
      const isUsed = names.findIndex((name) => flowIdOfFile(name) === flowId) === index;
      const { mtimeMs, size, ino } = statSync(join(directory, file));
      return {
        id: isUsed ? flowId : `${flowId} (${file})`,
        file,
        lastModified: Math.round(mtimeMs),
        stamp: `${mtimeMs}-${size}-${ino}`,
        isUsed,
        hasParams: isUsed && all.includes(`${flowId}.params.json`),
      };
    }),
  );
}

/** Compared as text: comparing thousands of objects takes much longer. */
async function expectListing(when = "", listed?: readonly FlowFile[]): Promise<void> {
  const found = metadata(listed ?? (await list()));
  expect(found.map((file) => JSON.stringify(file)).join("\n"), when).toBe(
    expectedListing()
      .map((file) => JSON.stringify(file))
      .join("\n"),
  );
}

function fill(): void {
  mkdirSync(directory);
  for (let index = 0; index < count; index++) write(`f${index}.yaml`, `# ${index}`);
}

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "flow-directory-"));
  directory = join(parent, "routes");
  fill();
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

describe("a directory of many flows", () => {
  it("is listed correctly after any change to its files", async () => {
    let step = 0;
    const someId = (): string => `f${(step * 7_919) % count}`;
    const changes: Readonly<Record<string, () => void>> = {
      written: () => write(`${someId()}.yaml`, `written ${step}`),
      touched: () => utimesSync(join(directory, `${someId()}.yaml`), 1_000 + step, 1_000 + step),
      replaced: () => {
        write(".temporary", `replaced ${step}`);
        renameSync(join(directory, ".temporary"), join(directory, `${someId()}.yaml`));
      },
      added: () => write(`new${step}.yml`, "new"),
      removed: () => rmSync(join(directory, `${someId()}.yaml`), { force: true }),
      renamed: () => {
        write(`${someId()}.yaml`, "renamed");
        renameSync(join(directory, `${someId()}.yaml`), join(directory, `moved${step}.yaml`));
      },
      duplicated: () => write(`${someId()}.camel.yaml`, "duplicate"),
      "params added": () => write(`${someId()}.params.json`, "{}"),
      "written twice": () => {
        write("f1.yaml", `${step}`);
        write("f2.yaml", `${step}`);
      },
    };
    for (let round = 0; round < 4; round++)
      for (const [name, change] of Object.entries(changes)) {
        step++;
        change();
        await expectListing(`${name}, step ${step}`);
      }
  });

  it("is listed correctly after hundreds of changes at once", async () => {
    for (let index = 0; index < 200; index++) write(`f${index}.yaml`, "changed");
    await expectListing();
  });

  it("is listed correctly by concurrent callers", async () => {
    for (let round = 0; round < 8; round++) {
      write(`f${round}.yaml`, `changed ${round}`);
      const lists = [list(), list()];
      write(`late${round}.yaml`, "new");
      lists.push(list());
      const [, , last] = await Promise.all(lists);
      await expectListing(`round ${round}`, last);
      await expectListing();
    }
  });

  it("detects a change to the target of a link", async () => {
    const target = join(directory, ".elsewhere");
    writeFileSync(target, "first");
    symlinkSync(target, join(directory, "linked.yaml"));
    for (let round = 0; round < 3; round++) await expectListing();
    writeFileSync(target, "second text");
    await expectListing();
  });

  it("detects a change through another hard link", async () => {
    const other = join(parent, "other.yaml");
    linkSync(join(directory, "f3.yaml"), other);
    write("f3.yaml", "written here");
    for (let round = 0; round < 3; round++) await list();
    writeFileSync(other, "written elsewhere");
    await expectListing();
    unlinkSync(other);
    await expectListing();
  });

  it("is read again after it was removed and recreated", async () => {
    rmSync(directory, { recursive: true });
    fill();
    for (let round = 0; round < 3; round++) {
      await expectListing(`round ${round}`);
      write(`f${round}.yaml`, "changed");
      write(`new${round}.yaml`, "new");
    }
    await expectListing();
  });

  it("is read again after another directory replaced it", async () => {
    renameSync(directory, join(parent, "before"));
    fill();
    write("f5.yaml", "another");
    await expectListing();
    await list();
    write("f6.yaml", "another, too");
    await expectListing();
    rmSync(directory, { recursive: true });
    await expect(list()).rejects.toThrow("ENOENT");
  });
});
