import type { Clock, LogLevel } from "@sluice/engine";
import { plainWithin } from "../masking/preview.ts";
import { maskUrisInJson } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { LogListener, LogRecord } from "../log/runtime-log.ts";
import { EventHub } from "./event-hub.ts";
import { plainEvent, type StreamEvent } from "./stream-event.ts";
import { levelRanks } from "./stream-filter.ts";

export interface LogStreamOptions {
  readonly boot: string;
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly lingers?: boolean;
  readonly clock: Clock;
  readonly secrets: SecretValues;
  /** The process's minimum log level. */
  readonly minLevel: LogLevel;
  /** Recent lines of the log. */
  recentLines(): readonly string[];
}

const maxFieldsLength = 8_192;

/** Converts log records to events while there are clients. */
export class LogRecorder implements LogListener {
  readonly hub: EventHub;
  readonly #secrets: SecretValues;
  readonly #minRank: number;

  constructor(options: LogStreamOptions) {
    this.#secrets = options.secrets;
    this.#minRank = Math.min(levelRanks["INFO"] as number, levelRanks[options.minLevel] as number);
    this.hub = new EventHub({ name: "log", ...options, changed: () => undefined, earlier: () => options.recentLines().flatMap(eventOfLine) });
  }

  /** Debug and trace records are streamed only if the process logs them too, so that a client does not slow down a route. */
  isEnabled(level: LogLevel): boolean {
    return this.hub.recording && (levelRanks[level] as number) >= this.#minRank;
  }

  write({ at, level, logger, message, exchange, fields }: LogRecord): void {
    const { run } = exchange ?? {};
    const secrets = this.#secrets.asOfNow();
    const stepId = exchange?.at?.id;
    const event = {
      at: new Date(at).toISOString(),
      level,
      logger,
      message,
      flowId: run?.route.flowId ?? null,
      routeId: run?.route.id ?? null,
      stepId: stepId ?? null,
      runId: run?.id ?? null,
      exchangeId: exchange?.id ?? null,
      traceId: run?.trace?.traceId ?? null,
      fields: fields === undefined ? {} : (JSON.parse(JSON.stringify(plainWithin(fields, maxFieldsLength, secrets), maskUrisInJson)) as unknown),
    };
    const details = { flowId: run?.route.flowId, routeId: run?.route.id, runId: run?.id, sessionId: run?.session?.id, stepId, rank: levelRanks[level] };
    this.hub.publish(plainEvent(details, 600 + message.length * 2, (id) => secrets.scrubJson(JSON.stringify({ id, ...event }))));
  }
}

const members = ["flowId", "routeId", "stepId", "runId", "exchangeId", "traceId"] as const;

/** Converts a log line to an event; empty if it is not a record. Secrets are already masked. */
function eventOfLine(line: string): readonly StreamEvent[] {
  let record: Readonly<Record<string, unknown>>;
  try {
    record = JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return [];
  }
  const { time, level, logger, message, ...rest } = record;
  const rank = levelRanks[String(level)];
  if (rank === undefined) return [];
  const reported = Object.fromEntries(members.map((name) => [name, rest[name] ?? null]));
  const fields = Object.fromEntries(Object.entries(rest).filter(([name]) => !(members as readonly string[]).includes(name)));
  const text = (name: (typeof members)[number]): string | undefined => rest[name] as string | undefined;
  const details = { flowId: text("flowId"), routeId: text("routeId"), runId: text("runId"), stepId: text("stepId"), rank };
  return [plainEvent(details, 600 + line.length * 2, (id) => JSON.stringify({ id, at: time, level, logger, message, ...reported, fields }))];
}
