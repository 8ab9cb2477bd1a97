// The log: one JSON record per line. Content cannot forge records or control a terminal: control characters are escaped and long strings
// truncated. The log stream gets the same records.
import type { Exchange, Log, LogLevel, Run } from "@sluice/engine";
import type { SecretValues } from "../masking/secret-values.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { BatchedWriter } from "./batched-writer.ts";
import type { UnwrittenLine } from "./line-buffer.ts";

const ranks: Readonly<Record<LogLevel, number>> = { TRACE: 0, DEBUG: 1, INFO: 2, WARN: 3, ERROR: 4 };
const maxTextLength = 64 * 1024;

/** A log record for the stream. */
export interface LogRecord {
  readonly at: number;
  readonly level: LogLevel;
  readonly logger: string;
  readonly message: string;
  readonly exchange: Exchange | undefined;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** Receives records too, if `wants` returns true. */
export interface LogFollower {
  wants(level: LogLevel): boolean;
  take(record: LogRecord): void;
}

export interface RuntimeLogOptions {
  readonly level: LogLevel;
  readonly writer: BatchedWriter;
  readonly secrets: SecretValues;
  readonly now: () => number;
}

export interface RuntimeLog extends Log {
  /** Sets the one follower. */
  follow(follower: LogFollower): void;
}

export function createRuntimeLog({ level: minLevel, writer, secrets, now }: RuntimeLogOptions): RuntimeLog {
  const rank = ranks[minLevel];
  let follower: LogFollower | undefined;

  return {
    enabled: (level) => ranks[level] >= rank || follower?.wants(level) === true,
    follow(next) {
      follower = next;
    },
    write(level, logger, text, exchange, fields) {
      const followed = follower?.wants(level) === true;
      const written = ranks[level] >= rank;
      if (!followed && !written) return;
      const at = now();
      const message = secrets.scrub(maskUris(cut(text)));
      if (written) writer.add(new LogLine(at, level, logger, message, exchange, fields === undefined ? "" : fieldsText(fields, secrets)));
      if (followed) follower?.take({ at, level, logger, message, exchange, fields });
    },
  };
}

function cut(text: string): string {
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}… (${text.length - maxTextLength} more characters)`;
}

/** A record to be written. The state of the exchange changes while it waits, so it is copied at once. */
class LogLine implements UnwrittenLine {
  readonly #at: number;
  readonly #level: LogLevel;
  readonly #logger: string;
  readonly #message: string;
  readonly #run: Run | undefined;
  readonly #exchangeId: string;
  readonly #stepId: string | undefined;
  readonly #fields: string;

  constructor(at: number, level: LogLevel, logger: string, message: string, exchange: Exchange | undefined, fields: string) {
    this.#at = at;
    this.#level = level;
    this.#logger = logger;
    this.#message = message;
    this.#run = exchange?.run;
    this.#exchangeId = exchange?.id ?? "";
    this.#stepId = exchange?.at?.id;
    this.#fields = fields;
  }

  get size(): number {
    return this.#message.length + this.#fields.length + 300;
  }

  text(): string {
    const run = this.#run;
    const begin = beginningOf(this.#at, this.#level, this.#logger);
    if (run === undefined) return `${begin}${quoted(this.#message)}${this.#fields}}`;
    const place = placeOf(run.route, this.#stepId);
    const trace = run.trace === undefined ? "" : `,"traceId":"${run.trace.traceId}"`;
    return `${begin}${quoted(this.#message)}${place}${run.id}","exchangeId":"${this.#exchangeId}"${trace}${this.#fields}}`;
  }
}

/** Cached text of consecutive lines: the start, within a millisecond, and the location. */
const lastBeginning = { at: -1, level: "", logger: "", text: "" };
const lastPlace: { route: Run["route"] | undefined; stepId: string | undefined; text: string } = { route: undefined, stepId: undefined, text: "" };

function beginningOf(at: number, level: LogLevel, logger: string): string {
  const last = lastBeginning;
  if (last.at !== at || last.level !== level || last.logger !== logger) {
    last.at = at;
    last.level = level;
    last.logger = logger;
    last.text = `{"time":"${new Date(at).toISOString()}","level":"${level}","logger":${quotedName(logger)},"message":`;
  }
  return last.text;
}

function placeOf(route: Run["route"], stepId: string | undefined): string {
  const last = lastPlace;
  if (last.route !== route || last.stepId !== stepId) {
    last.route = route;
    last.stepId = stepId;
    const step = stepId === undefined ? "" : `,"stepId":${quotedName(stepId)}`;
    last.text = `,"flowId":${quotedName(route.flowId)},"routeId":${quotedName(route.id)}${step},"runId":"`;
  }
  return last.text;
}

/** Cache of quoted names of flows, routes and steps. */
const quotedNames = new Map<string, string>();
const maxQuotedNames = 10_000;

function quotedName(name: string): string {
  const known = quotedNames.get(name);
  if (known !== undefined) return known;
  const made = quoted(name);
  if (quotedNames.size < maxQuotedNames) quotedNames.set(name, made);
  return made;
}

const c1OrSeparator = /[\u007f-\u009f\u2028\u2029]/;

/** JSON text; also escapes C1 control characters and line separators. */
function quoted(text: string): string {
  const json = JSON.stringify(text);
  return c1OrSeparator.test(text)
    ? json.replaceAll(/[\u007f-\u009f\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;
}

function fieldsText(fields: Readonly<Record<string, unknown>>, secrets: SecretValues): string {
  let text = "";
  for (const [name, value] of Object.entries(fields)) {
    const json = JSON.stringify(value instanceof Error ? (value.stack ?? value.message) : value) as string | undefined;
    if (json === undefined) continue;
    const shown = secrets.scrubJson(json);
    text += `,${quoted(name)}:${shown.length <= maxTextLength ? shown : quoted(cut(shown))}`;
  }
  return text;
}
