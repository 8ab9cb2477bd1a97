import type { Clock, Log } from "@sluice/engine";
import type { Settings } from "../config.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { Captures } from "../replay/captures.ts";
import { createRunHistory, type RunHistory, type RunHistoryLimits } from "../runs/run-history.ts";
import { RunStore, type RunDestination } from "./run-store.ts";
import { RunWriter } from "./run-writer.ts";
import { createStoringHistory } from "./storing-history.ts";

/** Runs on disk. */
export interface DiskRuns {
  readonly store: RunStore;
  readonly writer: RunWriter;
}

/** More than the durable store reserves: runs must not use the space that messages need. */
const reservedBytes = 16 * 1024 * 1024;

export interface OpenRunStoreOptions {
  readonly settings: Settings;
  /** The directory of the embedded store. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Why writing is not allowed; undefined when it is. */
  readonly readOnlyReason: string | undefined;
}

/** Undefined, with a warning, when runs cannot be stored on disk: they are then stored in memory only. */
export function openRunStore({ settings, directory, clock, log, readOnlyReason }: OpenRunStoreOptions): RunStore | undefined {
  try {
    if (readOnlyReason !== undefined) throw new Error(readOnlyReason);
    const limits = { runs: settings.runStoreTotal, bytes: settings.runStoreBytes, ageMs: settings.runStoreAge, reservedBytes };
    return new RunStore({ directory, limits, clock, log });
  } catch (error) {
    log.write("WARN", "sluice.runs", `Runs are stored in memory only, because they cannot be stored on disk: ${(error as Error).message}`);
    return undefined;
  }
}

/** Opens the history and, if runs are stored, their writer. */
export function openHistory(
  settings: Settings,
  destination: RunDestination | undefined,
  { secrets, captured }: { readonly secrets: SecretValues; readonly captured: Captures["of"] },
): { readonly history: RunHistory; readonly writer: RunWriter | undefined } {
  const limits: RunHistoryLimits = { perRoute: settings.runHistory, total: settings.runHistoryTotal, bytes: settings.runHistoryBytes };
  if (destination === undefined) return { history: createRunHistory(limits), writer: undefined };
  const writer = new RunWriter({ destination, secrets, captured });
  return { history: createStoringHistory(limits, writer), writer };
}
