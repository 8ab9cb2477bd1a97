import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, statfsSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FlowDirectory } from "./flow-directory.ts";
import type { FlowFile } from "./flow-store.ts";

const count = 600;
/** ext and tmpfs, where every change is told. */
const isTold = process.platform === "linux" && [0xef53, 0x01021994].includes(statfsSync(tmpdir()).type);

let parent: string;
let directory: string;
let files: FlowDirectory;

const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);
const facts = (listed: readonly FlowFile[]): readonly object[] =>
  listed.map(({ id, file, lastModified, stamp, problem, hasParams }) => ({ id, file, lastModified, stamp, problem, hasParams }));
/** What somebody finds who looks at every file. */
const everything = async (): Promise<readonly object[]> => facts(await new FlowDirectory(directory).list());

function fill(): void {
  mkdirSync(directory);
  for (let index = 0; index < count; index++) write(`f${index}.yaml`, `# ${index}`);
}

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), "flow-directory-"));
  directory = join(parent, "routes");
  fill();
  files = new FlowDirectory(directory);
  await files.list();
  await files.list();
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

describe("a directory of many flows", () => {
  it.skipIf(!isTold)("is not looked through again while nothing changes", async () => {
    const first = await files.list();
    expect(first).toHaveLength(count);
    expect(await files.list()).toBe(first);
    write("f7.yaml", "changed");
    const then = await files.list();
    expect(then.filter((file, index) => file !== first[index]).map(({ id }) => id)).toEqual(["f7"]);
    expect(await files.list()).toBe(then);
  });

  it("is listed as it is, whatever is done to its files", async () => {
    let step = 0;
    const some = (): string => `f${(step * 7_919) % count}`;
    const changes: Readonly<Record<string, () => void>> = {
      written: () => write(`${some()}.yaml`, `written ${step}`),
      touched: () => utimesSync(join(directory, `${some()}.yaml`), 1_000 + step, 1_000 + step),
      replaced: () => {
        write(".passing", `replaced ${step}`);
        renameSync(join(directory, ".passing"), join(directory, `${some()}.yaml`));
      },
      added: () => write(`new${step}.yml`, "new"),
      removed: () => rmSync(join(directory, `${some()}.yaml`), { force: true }),
      renamed: () => {
        write(`${some()}.yaml`, "renamed");
        renameSync(join(directory, `${some()}.yaml`), join(directory, `moved${step}.yaml`));
      },
      doubled: () => write(`${some()}.camel.yaml`, "double"),
      "given params": () => write(`${some()}.params.json`, "{}"),
      "written twice": () => {
        write("f1.yaml", `${step}`);
        write("f2.yaml", `${step}`);
      },
    };
    for (let round = 0; round < 12; round++)
      for (const [name, change] of Object.entries(changes)) {
        step++;
        change();
        const listed = facts(await files.list());
        expect(listed, `${name}, step ${step}`).toEqual(await everything());
      }
  }, 60_000);

  it("is listed as it is when more changes at once than the system need tell", async () => {
    for (let index = 0; index < 400; index++) write(`f${index}.yaml`, "changed");
    expect(facts(await files.list())).toEqual(await everything());
  });

  it("is listed as it is by all who ask at the same time", async () => {
    for (let round = 0; round < 20; round++) {
      write(`f${round}.yaml`, `changed ${round}`);
      const lists = [files.list(), files.list()];
      write(`late${round}.yaml`, "new");
      lists.push(files.list());
      const [, , last] = await Promise.all(lists);
      expect(facts(last as readonly FlowFile[]), `round ${round}`).toEqual(await everything());
      expect(facts(await files.list())).toEqual(await everything());
    }
  });

  it("tells what changed at the end of a link", async () => {
    const target = join(parent, "elsewhere.yaml");
    writeFileSync(target, "first");
    symlinkSync(target, join(directory, "linked.yaml"));
    for (let round = 0; round < 3; round++) expect(facts(await files.list())).toEqual(await everything());
    writeFileSync(target, "second text");
    expect(facts(await files.list())).toEqual(await everything());
  });

  it("tells what changed under another name of the same file", async () => {
    const other = join(parent, "other.yaml");
    linkSync(join(directory, "f3.yaml"), other);
    write("f3.yaml", "written here");
    for (let round = 0; round < 3; round++) await files.list();
    writeFileSync(other, "written elsewhere");
    expect(facts(await files.list())).toEqual(await everything());
    unlinkSync(other);
    expect(facts(await files.list())).toEqual(await everything());
  });

  it("is the one that is there now, when another came to its place", async () => {
    renameSync(directory, join(parent, "before"));
    fill();
    write("f5.yaml", "another");
    expect(facts(await files.list())).toEqual(await everything());
    await files.list();
    write("f6.yaml", "another, too");
    expect(facts(await files.list())).toEqual(await everything());
    rmSync(directory, { recursive: true });
    await expect(files.list()).rejects.toThrow("ENOENT");
  });
});
