// Passes log records to the host application as plain objects.
import type { LogLevel } from "@sluice/engine";
import type { LogFollower, LogRecord } from "../log/runtime-log.ts";

export interface EmbeddedLogRecord {
  readonly time: Date;
  readonly level: LogLevel;
  readonly logger: string;
  readonly message: string;
  readonly flowId?: string;
  readonly routeId?: string;
  readonly runId?: string;
  readonly error?: unknown;
}

const levels: readonly LogLevel[] = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"];

/** A follower that passes all records to the other follower, and those of at least this level also to the callback. */
export function alsoTo(onLog: (record: EmbeddedLogRecord) => void, minLevel: LogLevel, other: LogFollower): LogFollower {
  const enabled = new Set(levels.slice(levels.indexOf(minLevel)));
  return {
    wants: (level) => enabled.has(level) || other.wants(level),
    take(record) {
      if (other.wants(record.level)) other.take(record);
      if (!enabled.has(record.level)) return;
      try {
        onLog(embeddedRecord(record));
      } catch {
        // An error in the callback must not fail the run.
      }
    },
  };
}

function embeddedRecord({ at, level, logger, message, exchange, fields }: LogRecord): EmbeddedLogRecord {
  const route = exchange?.run.route;
  const error = fields?.["error"];
  return {
    time: new Date(at),
    level,
    logger,
    message,
    ...(route === undefined ? {} : { flowId: route.flowId, routeId: route.id, runId: exchange?.run.id }),
    ...(error === undefined ? {} : { error }),
  };
}
