// Runs on disk, for SERVICE_RUN_STORE=disk. Disk errors lose stored runs, but never messages: a batch that cannot be written is dropped and
// counted.
import { join } from "node:path";
import type { Clock, Log } from "@sluice/engine";
import type { RunMetadata } from "../runs/run-metadata.ts";
import type { FoundRows, RunSearch, SegmentLimits } from "./segment-files.ts";
import { Segments } from "./segments.ts";
import { parseMetadata, type StoredRun } from "./stored-run.ts";

/** Where batches of runs are written. */
export interface RunDestination {
  /** `omitted` is the number of runs skipped since the last batch because there were too many. Rejects when the runs were not stored. */
  write(runs: readonly StoredRun[], omitted: number): Promise<void>;
}

export interface RunStoreMetrics {
  readonly runs: number;
  readonly bytes: number;
  readonly written: number;
  /** Not stored because there were too many. */
  readonly omitted: number;
  /** Not stored because of disk errors. */
  readonly dropped: number;
}

export interface RunStoreParts {
  readonly directory: string;
  readonly limits: SegmentLimits;
  readonly clock: Clock;
  readonly log: Log;
}

const maxTrimIntervalMs = 3_600_000;

export class RunStore implements RunDestination {
  readonly #segments: Segments;
  readonly #parts: RunStoreParts;
  #cancelTrim: () => void = () => undefined;
  #isFailing = false;
  #written = 0;
  #omitted = 0;
  #dropped = 0;

  /** Opens the files in the background. Throws when this Node has no SQLite. */
  constructor(parts: RunStoreParts) {
    const { directory, limits, clock, log } = parts;
    this.#parts = parts;
    this.#segments = new Segments({
      directory: join(directory, "runs"),
      limits,
      now: () => clock.now(),
      unreadable: ({ name, error }) => log.write("WARN", "sluice.runs", `Skipped stored runs: cannot read ${join(directory, "runs", name)}: ${error}`),
    });
    void this.#trim();
  }

  get metrics(): RunStoreMetrics {
    const { runs, bytes } = this.#segments;
    return { runs, bytes, written: this.#written, omitted: this.#omitted, dropped: this.#dropped };
  }

  async write(runs: readonly StoredRun[], omitted: number): Promise<void> {
    this.#omitted += omitted;
    if (runs.length === 0) return;
    const { clock, log } = this.#parts;
    try {
      await this.#segments.call("add", runs, clock.now());
    } catch (error) {
      this.#dropped += runs.length;
      if (!this.#isFailing) log.write("ERROR", "sluice.runs", `Cannot store runs: ${(error as Error).message}; they are dropped until the disk accepts writes`);
      this.#isFailing = true;
      throw error;
    }
    this.#written += runs.length;
    if (this.#isFailing) log.write("INFO", "sluice.runs", "Runs are stored again");
    this.#isFailing = false;
  }

  search(query: RunSearch): Promise<FoundRows> {
    return this.#segments.call("search", { ...query, where: `started_at >= ? AND ${query.where}`, values: [this.#oldest(), ...query.values] });
  }

  async find(id: string): Promise<{ readonly metadata: RunMetadata; readonly messages: string | null } | undefined> {
    const found = await this.#segments.call("find", id);
    const metadata = found === undefined ? undefined : parseMetadata(found.metadata);
    return metadata === undefined || metadata.startedAt < this.#oldest() ? undefined : { metadata, messages: found?.messages ?? null };
  }

  async close(): Promise<void> {
    this.#cancelTrim();
    await this.#segments.close();
  }

  #oldest(): number {
    return this.#parts.clock.now() - this.#parts.limits.ageMs;
  }

  /** Runs expire even when no new ones are stored. */
  async #trim(): Promise<void> {
    const { clock, limits } = this.#parts;
    this.#cancelTrim = clock.after(Math.min(maxTrimIntervalMs, limits.ageMs), () => void this.#trim());
    await this.#segments.call("trim", clock.now()).catch(() => undefined);
  }
}
