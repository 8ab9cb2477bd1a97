// Which files of a directory changed since all of them were looked at, where the system tells of every change. With thousands of files,
// looking at each takes most of the time a list does.
import { statSync, watch, type FSWatcher } from "node:fs";
import { statfs } from "node:fs/promises";
import { systemClock } from "../host/clock.ts";

/** File systems that only this machine writes to, by their magic numbers: ext, xfs, btrfs, f2fs, tmpfs. */
const localSystems: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994]);
/** Changes between two lists that are kept apart. The system drops what nobody takes in time, 16,384 of them as a rule. */
const mostTold = 1_000;
/**
 * Not everything is told: writes through mapped memory, under another name that the file was only just given, or to a single file that is
 * mounted here, and what the system dropped because of other directories. So everything is looked at once in a while.
 */
const trustedMs = 60_000;

/** Whether the system tells what changes in a directory. */
export async function tellsChanges(directory: string): Promise<boolean> {
  return process.platform === "linux" && localSystems.has((await statfs(directory)).type);
}

/** One look through the directory. */
export interface Look {
  /** Says that everything was seen: from now on only what changed since the look began has to be seen again. */
  end(): void;
}

/** Watches one directory from the first look on. */
export class DirectoryChanges {
  readonly #directory: string;
  readonly #told = new Set<string>();
  #changes = 0;
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
    this.#look = undefined;
    this.#trustedUntil = 0;
    // Always anew: a watch ends unheard with its directory, and the next one at this place may get the same inode.
    await this.#watch();
    const look: Look = {
      end: () => {
        if (this.#look === look && this.#watcher !== undefined) this.#trustedUntil = systemClock.monotonic() + trustedMs;
      },
    };
    this.#look = look;
    this.#forget();
    return look;
  }

  /** Resolves when every change before the call has been heard of: the process listens once in each turn of its loop. */
  async heard(): Promise<void> {
    await systemClock.breathe();
    await systemClock.breathe();
  }

  /** Names of what changed since the look or the last call; undefined when everything has to be looked at. */
  take(look: Look): readonly string[] | undefined {
    const isTrusted = look === this.#look && systemClock.monotonic() < this.#trustedUntil && this.#watched === this.#identity();
    if (!isTrusted || this.#changes > mostTold) return undefined;
    const names = [...this.#told];
    this.#forget();
    return names;
  }

  #forget(): void {
    this.#told.clear();
    this.#changes = 0;
  }

  async #watch(): Promise<void> {
    try {
      const isTold = await tellsChanges(this.#directory);
      this.#unwatch();
      if (!isTold) return;
      this.#watched = this.#identity();
      const watcher = watch(this.#directory, { persistent: false }, (_event, name) => {
        this.#changes += name === null ? Infinity : 1;
        if (name !== null && this.#changes <= mostTold) this.#told.add(name);
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
