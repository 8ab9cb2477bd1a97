// The log: one JSON record per line. Content cannot forge records or control a terminal: control characters are escaped and long strings
// truncated. The log stream gets the same records.
import type { Exchange, Log, LogLevel, Run } from "@sluice/engine";
import type { SecretValues } from "../masking/secret-values.ts";
import { maskUris, maskUrisInJson } from "../masking/secret-uris.ts";
import type { BatchedWriter } from "./batched-writer.ts";
import type { UnwrittenLine } from "./line-buffer.ts";

const ranks: Readonly<Record<LogLevel, number>> = { TRACE: 0, DEBUG: 1, INFO: 2, WARN: 3, ERROR: 4 };
const maxTextLength = 64 * 1024;

/** A log record as passed to the listener. */
export interface LogRecord {
  readonly at: number;
  readonly level: LogLevel;
  readonly logger: string;
  readonly message: string;
  readonly exchange: Exchange | undefined;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** Also receives each record if `isEnabled` returns true for its level. */
export interface LogListener {
  isEnabled(level: LogLevel): boolean;
  write(record: LogRecord): void;
}

export interface RuntimeLogOptions {
  readonly level: LogLevel;
  readonly writer: BatchedWriter;
  readonly secrets: SecretValues;
  readonly now: () => number;
}

export interface RuntimeLog extends Log {
  /** Sets the listener; there is only one. */
  setListener(listener: LogListener): void;
}

export function createRuntimeLog({ level: minLevel, writer, secrets, now }: RuntimeLogOptions): RuntimeLog {
  const rank = ranks[minLevel];
  let listener: LogListener | undefined;

  return {
    enabled: (level) => ranks[level] >= rank || listener?.isEnabled(level) === true,
    setListener(next) {
      listener = next;
    },
    write(level, logger, text, exchange, fields) {
      const hasListener = listener?.isEnabled(level) === true;
      const isWritten = ranks[level] >= rank;
      if (!hasListener && !isWritten) return;
      const at = now();
      const message = shownText(text, secrets);
      if (isWritten) writer.add(new LogLine(at, level, logger, message, exchange, fields === undefined ? "" : fieldsText(fields, secrets)));
      if (hasListener) listener?.write({ at, level, logger, message, exchange, fields });
    },
  };
}

/** Masks before truncating, because a truncated secret would not be recognized. Only the start of a very long text is masked. */
function shownText(text: string, secrets: SecretValues): string {
  const start = text.length <= 2 * maxTextLength ? text : text.slice(0, 2 * maxTextLength);
  return truncate(secrets.scrub(maskUris(start)), text.length - start.length);
}

/** `omitted`: the number of characters that the text does not include. */
function truncate(text: string, omitted = 0): string {
  const more = text.length - maxTextLength + omitted;
  return more <= 0 ? text : `${text.slice(0, maxTextLength)}… (${more} more characters)`;
}

/** A record to be written. It copies the state of the exchange, which changes while the record waits. */
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
    const begin = linePrefix(this.#at, this.#level, this.#logger);
    if (run === undefined) return `${begin}${quote(this.#message)}${this.#fields}}`;
    const location = locationText(run.route, this.#stepId);
    const trace = run.trace === undefined ? "" : `,"traceId":"${run.trace.traceId}"`;
    return `${begin}${quote(this.#message)}${location}${run.id}","exchangeId":"${this.#exchangeId}"${trace}${this.#fields}}`;
  }
}

/** Caches for consecutive lines: the prefix of lines within the same millisecond, and the location. */
const lastPrefix = { at: -1, level: "", logger: "", text: "" };
const lastLocation: { route: Run["route"] | undefined; stepId: string | undefined; text: string } = { route: undefined, stepId: undefined, text: "" };

function linePrefix(at: number, level: LogLevel, logger: string): string {
  const last = lastPrefix;
  if (last.at !== at || last.level !== level || last.logger !== logger) {
    last.at = at;
    last.level = level;
    last.logger = logger;
    last.text = `{"time":"${new Date(at).toISOString()}","level":"${level}","logger":${quoteName(logger)},"message":`;
  }
  return last.text;
}

function locationText(route: Run["route"], stepId: string | undefined): string {
  const last = lastLocation;
  if (last.route !== route || last.stepId !== stepId) {
    last.route = route;
    last.stepId = stepId;
    const step = stepId === undefined ? "" : `,"stepId":${quoteName(stepId)}`;
    last.text = `,"flowId":${quoteName(route.flowId)},"routeId":${quoteName(route.id)}${step},"runId":"`;
  }
  return last.text;
}

/** Cache of quoted names of flows, routes and steps. */
const quotedNames = new Map<string, string>();
const maxQuotedNames = 10_000;

function quoteName(name: string): string {
  const cached = quotedNames.get(name);
  if (cached !== undefined) return cached;
  const text = quote(name);
  if (quotedNames.size < maxQuotedNames) quotedNames.set(name, text);
  return text;
}

const c1OrSeparator = /[\u007f-\u009f\u2028\u2029]/;

/** JSON text; also escapes C1 control characters and line separators. */
const quote = (text: string): string => escapeControls(JSON.stringify(text));

/** Escapes the control characters and line separators that JSON allows in strings. */
function escapeControls(json: string): string {
  return c1OrSeparator.test(json)
    ? json.replaceAll(/[\u007f-\u009f\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;
}

function fieldsText(fields: Readonly<Record<string, unknown>>, secrets: SecretValues): string {
  let text = "";
  for (const [name, value] of Object.entries(fields)) {
    const json = JSON.stringify(value instanceof Error ? (value.stack ?? value.message) : value, maskUrisInJson) as string | undefined;
    if (json === undefined) continue;
    const masked = escapeControls(secrets.scrubJson(json));
    text += `,${quote(name)}:${masked.length <= maxTextLength ? masked : quote(truncate(masked))}`;
  }
  return text;
}
