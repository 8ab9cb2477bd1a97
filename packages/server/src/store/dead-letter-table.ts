// The table of dead letters, bounded in number and bytes; the oldest are removed first.
import { storedSize, type Failure, type StoredMessage } from "@sluice/connectors";
import type { Ids, Log, RouteIdentity } from "@sluice/engine";
import { previewBody } from "../masking/preview.ts";
import { ServiceError } from "../service-error.ts";
import type { GroupCommit } from "./group-commit.ts";
import { storeFailure } from "./store-failure.ts";
import type { Database, Row, SqlValue } from "./sqlite.ts";
import type { Operation } from "./write-thread.ts";

export interface DeadLetterFilter {
  readonly id?: string | undefined;
  readonly routeId?: string | undefined;
  readonly flowId?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly text?: string | undefined;
}

/** Data stored with a dead letter in addition to the message. */
export interface DeadLetterMetadata {
  readonly route: Pick<RouteIdentity, "id" | "flowId" | "flowHash">;
  readonly runId: string | undefined;
  readonly attempts: number;
  readonly failure: Failure;
  /** The sender: `queue:orders`, or the endpoint of an error handler. */
  readonly source: string;
  /** The message as it entered the route, if it differs from the stored one. */
  readonly input: StoredMessage | undefined;
}

export interface DeadLetterSummary {
  readonly id: string;
  readonly at: number;
  readonly routeId: string;
  readonly flowId: string;
  readonly flowHash: string;
  readonly runId: string | undefined;
  readonly source: string;
  readonly attempts: number;
  readonly replayedAt: number | undefined;
  readonly failure: Failure;
  readonly size: number;
  /** The node that stored it, in a cluster. */
  readonly node?: string;
}

export interface DeadLetter extends DeadLetterSummary {
  readonly message: StoredMessage;
  readonly input: StoredMessage | undefined;
}

export interface PreparedDeadLetter {
  readonly id: string;
  readonly operation: Operation;
  /** Must be called when the write is committed. */
  written(): void;
}

export interface DeadLetterParts {
  readonly database: Database;
  readonly commit: GroupCommit;
  readonly ids: Ids;
  readonly log: Log;
  readonly now: () => number;
  readonly limits: { readonly deadLetters: number; readonly deadLetterBytes: number };
}

const maxSearchLength = 4_096;
/** Maximum length of a stored error message. */
export const maxFailureLength = 4_000;
const insert = `INSERT INTO dead_letter (id, at, route_id, flow_id, flow_hash, run_id, source, attempts, failure, search, size,
  kind, envelope, body, input_kind, input_envelope, input_body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const summary = "id, at, route_id, flow_id, flow_hash, run_id, source, attempts, replayed_at, failure, size, input_kind";

export class DeadLetterTable {
  readonly #parts: DeadLetterParts;
  count: number;
  bytes: number;
  #shrinking = false;

  constructor(parts: DeadLetterParts) {
    this.#parts = parts;
    const totals = parts.database.prepare("SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM dead_letter").get();
    this.count = Number(totals?.["count"] ?? 0);
    this.bytes = Number(totals?.["bytes"] ?? 0);
  }

  /** Stores a message; resolves with the dead letter's id after the commit. */
  async add(message: StoredMessage, metadata: DeadLetterMetadata): Promise<string> {
    const letter = this.prepare(message, metadata);
    await this.#parts.commit.write(letter.operation).catch((error: unknown) => {
      throw storeFailure(error, "cannot store the dead letter");
    });
    letter.written();
    return letter.id;
  }

  prepare(message: StoredMessage, { route, runId, attempts, failure, source, input }: DeadLetterMetadata): PreparedDeadLetter {
    const { ids, now } = this.#parts;
    const id = ids.next();
    const size = storedSize(message) + (input === undefined ? 0 : storedSize(input));
    const values: SqlValue[] = [
      id,
      now(),
      route.id,
      route.flowId,
      route.flowHash,
      runId ?? null,
      source,
      attempts,
      failureText(failure),
      searchText(message, failure),
      size,
    ];
    const contents: SqlValue[] = [message.kind, message.envelope, message.body, input?.kind ?? null, input?.envelope ?? null, input?.body ?? null];
    return {
      id,
      operation: { sql: insert, values: [...values, ...contents] },
      written: () => {
        this.count++;
        this.bytes += size;
        this.#shrink();
      },
    };
  }

  /** Records another failed replay of a dead letter. */
  async recordFailedReplay(id: string, failure: Failure, runId: string | undefined): Promise<void> {
    const { now } = this.#parts;
    const sql = "UPDATE dead_letter SET attempts = attempts + 1, replayed_at = ?, failure = ?, run_id = coalesce(?, run_id) WHERE id = ?";
    await this.#change({ sql, values: [now(), failureText(failure), runId ?? null, id] });
  }

  /** Newest first; `total` counts all matches. */
  list(filter: DeadLetterFilter, limit: number): { readonly letters: readonly DeadLetterSummary[]; readonly total: number } {
    const { where, values } = conditions(filter);
    const { database } = this.#parts;
    const total = Number(database.prepare(`SELECT count(*) AS count FROM dead_letter ${where}`).get(...values)?.["count"] ?? 0);
    const rows = database.prepare(`SELECT ${summary} FROM dead_letter ${where} ORDER BY id DESC LIMIT ?`).all(...values, limit);
    return { letters: rows.map(summaryOf), total };
  }

  /** Ids of matching dead letters, oldest first. */
  oldestIds(filter: DeadLetterFilter, limit: number): readonly string[] {
    const { where, values } = conditions(filter);
    return this.#parts.database
      .prepare(`SELECT id FROM dead_letter ${where} ORDER BY id LIMIT ?`)
      .all(...values, limit)
      .map((row) => String(row["id"]));
  }

  find(id: string): DeadLetter | undefined {
    const { where, values } = conditions({ id });
    const row = this.#parts.database.prepare(`SELECT * FROM dead_letter ${where}`).get(...values);
    if (row === undefined) return undefined;
    const input = row["input_kind"] === null ? undefined : storedOf(row, "input_");
    return { ...summaryOf(row), message: storedOf(row, ""), input };
  }

  async remove(id: string): Promise<boolean> {
    return (await this.removeAll({ id })) > 0;
  }

  /** Removes all matching dead letters; resolves with their number. */
  removeAll(filter: DeadLetterFilter): Promise<number> {
    const { where, values } = conditions(filter);
    return this.#delete(where, values);
  }

  async #delete(where: string, values: readonly SqlValue[]): Promise<number> {
    const removed = await this.#change({ sql: `DELETE FROM dead_letter ${where} RETURNING size`, values, rows: true });
    this.count -= removed.length;
    this.bytes -= removed.reduce((sum, row) => sum + Number(row["size"]), 0);
    return removed.length;
  }

  async #change(operation: Operation): Promise<readonly Row[]> {
    try {
      return await this.#parts.commit.write(operation);
    } catch (error) {
      const { message } = error as Error;
      throw /disk is (almost )?full/.test(message)
        ? new ServiceError("storage-full", "no space left to change the dead letters")
        : new ServiceError("storage-refused", `cannot change the dead letters: ${message}`);
    }
  }

  /** Above a limit, the oldest one percent is removed at once, so that a burst of dead letters does not cause a deletion for each. */
  #shrink(): void {
    const { limits } = this.#parts;
    if (this.#shrinking || (this.count <= limits.deadLetters && this.bytes <= limits.deadLetterBytes)) return;
    this.#shrinking = true;
    void this.#removeOldest().finally(() => {
      this.#shrinking = false;
    });
  }

  async #removeOldest(): Promise<void> {
    const { limits, log, database } = this.#parts;
    const [targetCount, targetBytes] = [ninetyNinePercent(limits.deadLetters), ninetyNinePercent(limits.deadLetterBytes)];
    try {
      // The newest dead letter is kept regardless of its size, because it may not have been read yet.
      for (let removed = 1; removed > 0 && this.count > 1 && (this.count > limits.deadLetters || this.bytes > limits.deadLetterBytes);) {
        let last = "";
        let [remainingCount, remainingBytes] = [this.count, this.bytes];
        for (const row of database.prepare("SELECT id, size FROM dead_letter ORDER BY id LIMIT 1000").all()) {
          if (remainingCount <= 1 || (remainingCount <= targetCount && remainingBytes <= targetBytes)) break;
          remainingCount--;
          remainingBytes -= Number(row["size"]);
          last = String(row["id"]);
        }
        removed = await this.#delete("WHERE id <= ?", [last]);
        log.write(
          "WARN",
          "sluice.dead-letters",
          `Removed the oldest dead letters (${removed}): the limit is ${limits.deadLetters} dead letters (SERVICE_DEAD_LETTERS) ` +
            `and ${limits.deadLetterBytes} bytes (SERVICE_DEAD_LETTER_BYTES)`,
        );
      }
    } catch (error) {
      log.write("ERROR", "sluice.dead-letters", `Cannot remove the oldest dead letters: ${(error as Error).message}`);
    }
  }
}

const ninetyNinePercent = (limit: number): number => limit - Math.floor(limit / 100);

function conditions({ id, routeId, flowId, since, until, text }: DeadLetterFilter): { readonly where: string; readonly values: SqlValue[] } {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, value: SqlValue | undefined): void => {
    if (value === undefined) return;
    // The driver truncates text at the first NUL, so the condition would match too much.
    const isSearchable = typeof value !== "string" || !value.includes("\0");
    parts.push(isSearchable ? condition : "0");
    if (isSearchable) values.push(value);
  };
  add("id = ?", id);
  add("route_id = ?", routeId);
  add("flow_id = ?", flowId);
  add("at >= ?", since);
  add("at <= ?", until);
  add("instr(search, ?) > 0", text?.toLowerCase());
  return { where: parts.length === 0 ? "" : `WHERE ${parts.join(" AND ")}`, values };
}

export const truncateFailure = (failure: Failure): Failure => ({ ...failure, message: failure.message.slice(0, maxFailureLength) });

const failureText = (failure: Failure): string => JSON.stringify(truncateFailure(failure));

/** The searchable text: start of the body, headers and failure, in lower case. */
export function searchText({ kind, body, envelope }: StoredMessage, failure: Failure, maxLength = maxSearchLength): string {
  const text = kind === "none" ? "" : previewBody(body, maxLength).text;
  return [text, envelope.slice(0, maxLength), failure.type, failure.message.slice(0, maxLength), failure.stepId ?? ""].join("\n").toLowerCase();
}

function storedOf(row: Row, prefix: "" | "input_"): StoredMessage {
  return { kind: row[`${prefix}kind`] as StoredMessage["kind"], envelope: row[`${prefix}envelope`] as string, body: row[`${prefix}body`] as Uint8Array };
}

function summaryOf(row: Row): DeadLetterSummary {
  return {
    id: String(row["id"]),
    at: timeOf(row["at"]),
    routeId: String(row["route_id"]),
    flowId: String(row["flow_id"]),
    flowHash: String(row["flow_hash"]),
    runId: row["run_id"] === null ? undefined : String(row["run_id"]),
    source: String(row["source"]),
    attempts: Number(row["attempts"]),
    replayedAt: row["replayed_at"] === null ? undefined : timeOf(row["replayed_at"]),
    failure: failureOf(String(row["failure"])),
    size: Number(row["size"]),
  };
}

/** A damaged row must not hide the others: an unreadable failure is shown as such. */
function failureOf(text: string): Failure {
  try {
    const { type, message, stepId, routeId } = JSON.parse(text) as Partial<Failure>;
    if (typeof type === "string" && typeof message === "string") return { type, message, stepId, routeId };
  } catch {
    // Reported below.
  }
  return { type: "java.lang.IllegalStateException", message: "the stored failure is damaged and cannot be read", stepId: undefined, routeId: undefined };
}

/** The largest time that a Date can represent. */
const maxTime = 8.64e15;

/** A valid time for a Date; 0 otherwise. */
function timeOf(value: SqlValue | undefined): number {
  const time = Number(value);
  return Math.abs(time) <= maxTime ? time : 0;
}
