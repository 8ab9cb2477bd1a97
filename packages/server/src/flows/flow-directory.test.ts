import {
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tellsChanges } from "./directory-changes.ts";
import { FlowDirectory } from "./flow-directory.ts";
import type { FlowFile } from "./flow-store.ts";

const count = 600;
const isTold = await tellsChanges(tmpdir());

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

  it("is listed as it is after more changes of few files than the system keeps", async () => {
    const open = ["f0.yaml", "f1.yaml"].map((name) => openSync(join(directory, name), "r+"));
    for (let index = 0; index < 20_000; index++) writeSync(open[index % 2] as number, `${index}`, 0);
    for (const file of open) closeSync(file);
    write("f3.yaml", "changed");
    write("new.yaml", "new");
    expect(facts(await files.list())).toEqual(await everything());
  }, 30_000);

  it("is listed as it is by all who ask when it becomes too small to be watched", async () => {
    for (let index = 500; index < count; index++) rmSync(join(directory, `f${index}.yaml`));
    for (let round = 0; round < 3; round++) await files.list();
    for (let round = 0; round < 5; round++) {
      rmSync(join(directory, `f${round}.yaml`));
      write(`f${round + 10}.params.json`, "{}");
      const lists = await Promise.all([files.list(), files.list(), files.list()]);
      for (const listed of lists) expect(facts(listed), `round ${round}`).toEqual(await everything());
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

  it("is looked at again after it was removed and filled anew", async () => {
    rmSync(directory, { recursive: true });
    fill();
    for (let round = 0; round < 3; round++) {
      expect(facts(await files.list()), `round ${round}`).toEqual(await everything());
      write(`f${round}.yaml`, "changed");
      write(`new${round}.yaml`, "new");
    }
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
