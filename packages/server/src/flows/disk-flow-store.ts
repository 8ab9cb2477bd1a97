// Flows as files of one directory: `<id>.yaml` (also `.yml` and `.camel.yaml` when found there) and `<id>.params.json`.
// Two files cannot be renamed at once, so the parameters' file names the text it belongs to and keeps the values of
// the text before: whichever text a crash leaves in place finds its own parameters.
import { createHash } from "node:crypto";
import { readFileSync, statSync, type Stats } from "node:fs";
import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { systemClock } from "../host/clock.ts";
import { flushDirectory, putInPlace, readWhole, removeFile, removeLeftovers, writeTemporary } from "./durable-file.ts";
import { isFlowId } from "./flow-id.ts";
import type { FlowChange, FlowFile, FlowStore, StagedFlow, StoredFlow, StoredParams } from "./flow-store.ts";

const extensions = [".yaml", ".yml", ".camel.yaml"] as const;
const paramsSuffix = ".params.json";

interface ParamsFile {
  readonly for: string;
  readonly params: StoredParams;
  readonly before?: { readonly for: string; readonly params: StoredParams };
}

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Opens the directory, makes it when missing, and clears what a crash left behind. */
export async function openDiskFlowStore(directory: string): Promise<FlowStore> {
  await mkdir(directory, { recursive: true, mode: 0o750 });
  // A directory that cannot be written is no reason not to serve what is in it.
  await removeLeftovers(directory).catch(() => undefined);
  const store = new DiskFlowStore(directory);
  await store.removeOrphans().catch(() => undefined);
  return store;
}

/** Files looked at before others get their turn: handing each to the thread pool takes ten times as long as looking. */
const lookedAtOnce = 250;

/** A file that was found. It stands for the file until that changes, so a list of thousands makes nothing new. */
class ListedFile implements FlowFile {
  readonly id: string;
  readonly file: string;
  readonly lastModified: number;
  readonly problem: string | undefined;
  readonly hasParams: boolean;
  readonly #modified: number;
  readonly #size: number;
  readonly #inode: number;

  constructor(file: Pick<FlowFile, "id" | "file" | "problem" | "hasParams">, facts: Stats) {
    this.id = file.id;
    this.file = file.file;
    this.problem = file.problem;
    this.hasParams = file.hasParams;
    this.lastModified = Math.round(facts.mtimeMs);
    this.#modified = facts.mtimeMs;
    this.#size = facts.size;
    this.#inode = facts.ino;
  }

  get stamp(): string {
    return `${this.#modified}-${this.#size}-${this.#inode}`;
  }

  isStill({ mtimeMs, size, ino }: Stats): boolean {
    return mtimeMs === this.#modified && size === this.#size && ino === this.#inode;
  }
}

/** What a directory was found to hold. */
interface Listing {
  readonly names: readonly string[];
  readonly files: readonly ListedFile[];
  /** Every name of a flow was a file: nothing but these can become one without a change of names. */
  readonly isWhole: boolean;
}

class DiskFlowStore implements FlowStore {
  readonly #directory: string;
  #listing: Listing = { names: [], files: [], isWhole: false };

  constructor(directory: string) {
    this.#directory = directory;
  }

  async list(): Promise<readonly FlowFile[]> {
    const names = await readdir(this.#directory);
    const listing = (await this.#lookAgain(names)) ?? (await this.#lookAtAll(names));
    this.#listing = listing;
    return listing.files;
  }

  /** The files of the last listing as they are now; undefined when names came or went, or one is a file no longer. */
  async #lookAgain(names: readonly string[]): Promise<Listing | undefined> {
    const { names: before, files, isWhole } = this.#listing;
    if (!isWhole || names.length !== before.length || names.some((name, index) => name !== before[index])) return undefined;
    const now: ListedFile[] = [];
    for (const file of files) {
      if (now.length % lookedAtOnce === lookedAtOnce - 1) await systemClock.breathe();
      const facts = this.#factsOf(file.file);
      if (facts === undefined) return undefined;
      now.push(file.isStill(facts) ? file : new ListedFile(file, facts));
    }
    return { names: before, files: now, isWhole };
  }

  async #lookAtAll(all: readonly string[]): Promise<Listing> {
    const names = all.filter((name) => !name.startsWith(".") && extensionOf(name) !== undefined).sort(byPreference);
    const withParams = new Set(all.filter((name) => name.endsWith(paramsSuffix)).map((name) => name.slice(0, -paramsSuffix.length)));
    const taken = new Map<string, string>();
    const files: ListedFile[] = [];
    for (const [index, name] of names.entries()) {
      if (index % lookedAtOnce === lookedAtOnce - 1) await systemClock.breathe();
      const facts = this.#factsOf(name);
      if (facts === undefined) continue;
      const stem = name.slice(0, -(extensionOf(name) as string).length);
      const owner = taken.get(stem.toLowerCase());
      if (owner === undefined) taken.set(stem.toLowerCase(), name);
      const problem =
        owner !== undefined ? `the flow is already defined by '${owner}'` : isFlowId(stem) ? undefined : `'${stem}' is no valid flow id: rename the file`;
      files.push(new ListedFile({ id: owner === undefined ? stem : name, file: name, problem, hasParams: withParams.has(stem) }, facts));
    }
    files.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    return { names: all, files, isWhole: files.length === names.length };
  }

  /** Undefined for what is no file. */
  #factsOf(name: string): Stats | undefined {
    try {
      const facts = statSync(`${this.#directory}${sep}${name}`, { throwIfNoEntry: false });
      return facts?.isFile() === true ? facts : undefined;
    } catch {
      return undefined;
    }
  }

  async read(id: string): Promise<StoredFlow | undefined> {
    const file = await this.#fileOf(id);
    if (file === undefined) return undefined;
    try {
      const path = join(this.#directory, file);
      const [bytes, facts] = await Promise.all([readWhole(path), stat(path)]);
      const hash = hashOf(bytes);
      const kept = await this.#readParams(id);
      return { id, file, bytes, hash, lastModified: Math.round(facts.mtimeMs), params: paramsFor(kept, hash) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async readListed({ id, file, lastModified, hasParams }: FlowFile): Promise<StoredFlow | undefined> {
    // A start reads thousands of small files one after another: through the thread pool that takes six times as long.
    const bytes = readFileSync(join(this.#directory, file));
    const hash = hashOf(bytes);
    return { id, file, bytes, hash, lastModified, params: hasParams ? paramsFor(await this.#readParams(id), hash) : {} };
  }

  async stage({ id, bytes, hash, params }: FlowChange): Promise<StagedFlow> {
    const directory = this.#directory;
    const current = await this.read(id);
    const file = current?.file ?? `${id}.yaml`;
    const kept = current === undefined ? undefined : { for: current.hash, params: current.params };
    const paramsName = `${id}${paramsSuffix}`;
    const passingText = current?.hash === hash ? undefined : await writeTemporary(directory, file, bytes, 0o640);
    const paramsChanged = JSON.stringify(kept?.params ?? {}) !== JSON.stringify(params) || (passingText !== undefined && Object.keys(params).length > 0);
    let passingParams: string | undefined;
    try {
      if (paramsChanged) {
        const content: ParamsFile = { for: hash, params, ...(kept === undefined || kept.for === hash ? {} : { before: kept }) };
        passingParams = await writeTemporary(directory, paramsName, Buffer.from(`${JSON.stringify(content, null, 2)}\n`), 0o600);
      }
    } catch (error) {
      if (passingText !== undefined) await removeFile(directory, passingText);
      throw error;
    }
    return {
      async commit() {
        if (passingParams !== undefined) await putInPlace(directory, passingParams, paramsName);
        if (passingText !== undefined) await putInPlace(directory, passingText, file);
        await flushDirectory(directory);
        return { file, lastModified: Math.round((await stat(join(directory, file))).mtimeMs) };
      },
      async discard() {
        for (const passing of [passingText, passingParams]) if (passing !== undefined) await removeFile(directory, passing).catch(() => undefined);
      },
    };
  }

  async remove(id: string): Promise<boolean> {
    const file = await this.#fileOf(id);
    if (file === undefined || !(await removeFile(this.#directory, file))) return false;
    await flushDirectory(this.#directory);
    if (await removeFile(this.#directory, `${id}${paramsSuffix}`)) await flushDirectory(this.#directory);
    return true;
  }

  /** Parameters whose flow is gone would otherwise come back with the next flow of that id. */
  async removeOrphans(): Promise<void> {
    const names = (await readdir(this.#directory)).filter((name) => name.endsWith(paramsSuffix));
    if (names.length === 0) return;
    const flows = new Set((await this.list()).map((flow) => flow.id));
    for (const name of names) {
      if (flows.has(name.slice(0, -paramsSuffix.length))) await chmod(join(this.#directory, name), 0o600).catch(() => undefined);
      else await removeFile(this.#directory, name);
    }
  }

  async #fileOf(id: string): Promise<string | undefined> {
    for (const extension of extensions) {
      const facts = await stat(join(this.#directory, id + extension)).catch(() => undefined);
      if (facts?.isFile() === true) return id + extension;
    }
    return undefined;
  }

  async #readParams(id: string): Promise<ParamsFile | undefined> {
    try {
      return JSON.parse(String(await readWhole(join(this.#directory, `${id}${paramsSuffix}`)))) as ParamsFile;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new Error(
        `the parameters of flow '${id}' cannot be read: ${error instanceof SyntaxError ? "the file is no JSON" : (error as NodeJS.ErrnoException).code}`,
        { cause: error },
      );
    }
  }
}

function paramsFor(file: ParamsFile | undefined, hash: string): StoredParams {
  if (file === undefined) return {};
  if (file.for !== hash && file.before?.for === hash) return file.before.params;
  return file.params ?? {};
}

/** `.camel.yaml` also ends in `.yaml`: the longest match counts. */
function extensionOf(name: string): string | undefined {
  return name.endsWith(".camel.yaml") ? ".camel.yaml" : extensions.find((extension) => name.endsWith(extension));
}

const byPreference = (a: string, b: string): number => rank(a) - rank(b) || (a < b ? -1 : 1);
const rank = (name: string): number => extensions.indexOf(extensionOf(name) as (typeof extensions)[number]);
