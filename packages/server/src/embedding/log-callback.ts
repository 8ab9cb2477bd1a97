// Passes log records to the host application as plain objects.
import type { LogLevel } from "@sluice/engine";
import { toPlain } from "@sluice/engine/values";
import type { LogListener, LogRecord } from "../log/runtime-log.ts";
import { maskUris, maskUrisInJson } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";

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

interface CallbackOptions {
  readonly onLog: (record: EmbeddedLogRecord) => void;
  /** Minimum level of the records for the callback. */
  readonly minLevel: LogLevel;
  readonly secrets: SecretValues;
}

/** A listener that passes records to the callback and to another listener. */
export function withLogCallback({ onLog, minLevel, secrets }: CallbackOptions, other: LogListener): LogListener {
  const enabled = new Set(levels.slice(levels.indexOf(minLevel)));
  return {
    isEnabled: (level) => enabled.has(level) || other.isEnabled(level),
    write(record) {
      if (other.isEnabled(record.level)) other.write(record);
      if (!enabled.has(record.level)) return;
      try {
        onLog(embeddedRecord(record, secrets));
      } catch {
        // An error in the callback must not fail the run.
      }
    },
  };
}

function embeddedRecord({ at, level, logger, message, exchange, fields }: LogRecord, secrets: SecretValues): EmbeddedLogRecord {
  const route = exchange?.run.route;
  const error = fields?.["error"];
  return {
    time: new Date(at),
    level,
    logger,
    message,
    ...(route === undefined ? {} : { flowId: route.flowId, routeId: route.id, runId: exchange?.run.id }),
    ...(error === undefined ? {} : { error: maskError(error, secrets) }),
  };
}

/** Causes beyond this depth are omitted, because the chain may be circular. */
const maxCauses = 10;

/** A copy with masked secrets: the host application may write it anywhere. */
function maskError(error: unknown, secrets: SecretValues, depth = 0): unknown {
  if (!(error instanceof Error)) return JSON.parse(secrets.scrubJson(JSON.stringify(toPlain(error), maskUrisInJson))) as unknown;
  const mask = (text: string): string => secrets.scrub(maskUris(text));
  const { code } = error as { readonly code?: unknown };
  const copy = new Error(mask(error.message), error.cause === undefined || depth === maxCauses ? {} : { cause: maskError(error.cause, secrets, depth + 1) });
  copy.name = error.name;
  if (error.stack !== undefined) copy.stack = mask(error.stack);
  return code === undefined ? copy : Object.assign(copy, { code });
}
