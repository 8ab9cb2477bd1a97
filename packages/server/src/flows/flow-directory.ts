// The YAML files of the directory of flows, and what can be said of them without reading them.
import { lstatSync, statSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import { sep } from "node:path";
import { systemClock } from "../host/clock.ts";
import { DirectoryChanges, type Look } from "./directory-changes.ts";
import { isFlowId } from "./flow-id.ts";
import type { FlowFile } from "./flow-store.ts";

export const extensions = [".yaml", ".yml", ".camel.yaml"] as const;
export const paramsSuffix = ".params.json";

/** Files looked at before others get their turn: handing each to the thread pool takes ten times as long as looking. */
const lookedAtOnce = 250;
/** Fewer files are looked at sooner than the system can be asked what changed. */
const worthWatching = 500;

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
  /** Whether it can only change under this name: what is written to the end of a link, or under a second name, is not told here. */
  readonly hasOneName: boolean;

  constructor(file: Pick<FlowFile, "id" | "file" | "problem" | "hasParams">, { facts, hasOneName }: FoundFile) {
    this.id = file.id;
    this.file = file.file;
    this.problem = file.problem;
    this.hasParams = file.hasParams;
    this.lastModified = Math.round(facts.mtimeMs);
    this.#modified = facts.mtimeMs;
    this.#size = facts.size;
    this.#inode = facts.ino;
    this.hasOneName = hasOneName;
  }

  get stamp(): string {
    return `${this.#modified}-${this.#size}-${this.#inode}`;
  }

  isStill({ facts: { mtimeMs, size, ino }, hasOneName }: FoundFile): boolean {
    return mtimeMs === this.#modified && size === this.#size && ino === this.#inode && hasOneName === this.hasOneName;
  }
}

interface FoundFile {
  readonly facts: Stats;
  readonly hasOneName: boolean;
}

/** What a directory was found to hold. */
interface Listing {
  readonly names: readonly string[];
  readonly files: readonly ListedFile[];
  /** Every name of a flow was a file: nothing but these can become one without a change of names. */
  readonly isWhole: boolean;
  /** The look it came from, when that was watched. */
  readonly look?: Look | undefined;
}

/** Lists the files as they are, also those that came or changed by hand. */
export class FlowDirectory {
  readonly #directory: string;
  readonly #changes: DirectoryChanges;
  #listing: Listing = { names: [], files: [], isWhole: false };

  constructor(directory: string) {
    this.#directory = directory;
    this.#changes = new DirectoryChanges(directory);
  }

  async list(): Promise<readonly FlowFile[]> {
    return (await this.#lookAtChanged()) ?? (await this.#lookAtEverything());
  }

  /** The last listing with what changed since; undefined when that is not known, or is more than the content of files. */
  async #lookAtChanged(): Promise<readonly FlowFile[] | undefined> {
    if (this.#listing.look === undefined) return undefined;
    await this.#changes.heard();
    // From here on nothing may be waited for: what was taken is known to nobody else.
    const { files, look } = this.#listing;
    const changed = look === undefined ? undefined : this.#changes.take(look);
    if (changed === undefined || changed.length === 0) return changed && files;
    const now = this.#lookAt(changed, files);
    this.#listing = now === undefined ? { ...this.#listing, look: undefined } : { ...this.#listing, files: now };
    return now;
  }

  #lookAt(changed: readonly string[], files: readonly ListedFile[]): readonly ListedFile[] | undefined {
    const places = new Map(files.map(({ file }, index) => [file, index]));
    const now = [...files];
    for (const name of changed) {
      if (name.startsWith(".")) continue;
      const place = places.get(name);
      const found = place === undefined ? undefined : this.#find(name);
      if (place === undefined || found?.hasOneName !== true) return undefined;
      const file = files[place] as ListedFile;
      if (!file.isStill(found)) now[place] = new ListedFile(file, found);
    }
    return now;
  }

  async #lookAtEverything(): Promise<readonly FlowFile[]> {
    const look = this.#listing.files.length < worthWatching ? undefined : await this.#changes.begin();
    const names = await readdir(this.#directory);
    const listing = (await this.#lookAgain(names)) ?? (await this.#lookAtAll(names));
    const isWatched = look !== undefined && listing.isWhole && listing.files.every(({ hasOneName }) => hasOneName);
    if (isWatched) look.end();
    this.#listing = { ...listing, look: isWatched ? look : undefined };
    return listing.files;
  }

  /** The files of the last listing as they are now; undefined when names came or went, or one is a file no longer. */
  async #lookAgain(names: readonly string[]): Promise<Listing | undefined> {
    const { names: before, files, isWhole } = this.#listing;
    if (!isWhole || names.length !== before.length || names.some((name, index) => name !== before[index])) return undefined;
    const now: ListedFile[] = [];
    for (const file of files) {
      if (now.length % lookedAtOnce === lookedAtOnce - 1) await systemClock.breathe();
      const found = this.#find(file.file);
      if (found === undefined) return undefined;
      now.push(file.isStill(found) ? file : new ListedFile(file, found));
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
      const found = this.#find(name);
      if (found === undefined) continue;
      const stem = name.slice(0, -(extensionOf(name) as string).length);
      const owner = taken.get(stem.toLowerCase());
      if (owner === undefined) taken.set(stem.toLowerCase(), name);
      const problem =
        owner !== undefined ? `the flow is already defined by '${owner}'` : isFlowId(stem) ? undefined : `'${stem}' is no valid flow id: rename the file`;
      files.push(new ListedFile({ id: owner === undefined ? stem : name, file: name, problem, hasParams: withParams.has(stem) }, found));
    }
    files.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    return { names: all, files, isWhole: files.length === names.length };
  }

  /** Undefined for what is no file. */
  #find(name: string): FoundFile | undefined {
    const path = `${this.#directory}${sep}${name}`;
    try {
      const own = lstatSync(path, { throwIfNoEntry: false });
      const facts = own?.isSymbolicLink() === true ? statSync(path, { throwIfNoEntry: false }) : own;
      return facts?.isFile() === true ? { facts, hasOneName: facts === own && facts.nlink === 1 } : undefined;
    } catch {
      return undefined;
    }
  }
}

/** `.camel.yaml` also ends in `.yaml`: the longest match counts. */
function extensionOf(name: string): string | undefined {
  return name.endsWith(".camel.yaml") ? ".camel.yaml" : extensions.find((extension) => name.endsWith(extension));
}

const byPreference = (a: string, b: string): number => rank(a) - rank(b) || (a < b ? -1 : 1);
const rank = (name: string): number => extensions.indexOf(extensionOf(name) as (typeof extensions)[number]);
