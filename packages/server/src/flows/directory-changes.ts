// Which files of a directory changed since all of them were looked at, where the system tells of every change. With thousands of files,
// looking at each takes most of the time a list does.
import { statSync, watch, type FSWatcher } from "node:fs";
import { statfs } from "node:fs/promises";
import { systemClock } from "../host/clock.ts";

/** File systems that only this machine writes to, by their magic numbers: ext, xfs, btrfs, f2fs, tmpfs. */
const localSystems: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994]);
/** With more changes than this at once, the system may have dropped some. */
const mostTold = 250;
/** A write through mapped memory, or under a name of the file elsewhere that it was only just given, is not told: now and then everything is looked at. */
const trustedMs = 60_000;

/** One look through the directory. */
export interface Look {
  /** Says that everything was seen: from now on only what changed since the look began has to be seen again. */
  end(): void;
}

/** Watches one directory from the first look on. */
export class DirectoryChanges {
  readonly #directory: string;
  readonly #told = new Set<string>();
  /** A change without a name, or too many: anything may be different. */
  #isLost = false;
  #watcher: FSWatcher | undefined;
  /** Device and inode of what is watched: another directory may have come to its place. */
  #watched = "";
  #look: Look | undefined;
  #trustedUntil = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Begins a look at everything; only the last one that was begun counts. */
  async begin(): Promise<Look> {
    const look: Look = {
      end: () => {
        if (this.#look === look && this.#watcher !== undefined) this.#trustedUntil = systemClock.monotonic() + trustedMs;
      },
    };
    if (this.#watcher === undefined || this.#watched !== this.#identity()) await this.#watch();
    this.#look = look;
    this.#trustedUntil = 0;
    this.#told.clear();
    this.#isLost = false;
    return look;
  }

  /** Resolves when every change before the call has been heard of: the process listens once in each turn of its loop. */
  async heard(): Promise<void> {
    await systemClock.breathe();
    await systemClock.breathe();
  }

  /** Names of what changed since the look or the last call; undefined when everything has to be looked at. */
  take(look: Look): readonly string[] | undefined {
    const isKnown = look === this.#look && !this.#isLost && systemClock.monotonic() < this.#trustedUntil && this.#watched === this.#identity();
    if (!isKnown) return undefined;
    const names = [...this.#told];
    this.#told.clear();
    return names;
  }

  async #watch(): Promise<void> {
    try {
      const tellsAll = process.platform === "linux" && localSystems.has((await statfs(this.#directory)).type);
      this.#unwatch();
      if (!tellsAll) return;
      this.#watched = this.#identity();
      const watcher = watch(this.#directory, { persistent: false }, (_event, name) => {
        if (name === null || this.#told.size >= mostTold) this.#isLost = true;
        else this.#told.add(name);
      });
      watcher.on("error", () => this.#unwatch());
      this.#watcher = watcher;
    } catch {
      // The machine has no watch left to give: every list looks at everything.
    }
  }

  #unwatch(): void {
    this.#trustedUntil = 0;
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #identity(): string {
    const facts = statSync(this.#directory, { throwIfNoEntry: false });
    return facts === undefined ? "" : `${facts.dev}-${facts.ino}`;
  }
}
