// Caches long JSON documents that are parsed before an expression reads them: see readJsonAhead.

/** Minimum length in characters or bytes for parsing ahead. */
export const minLongJsonLength = 256 * 1024;

/** The value of JSON text, or its parse error. */
export interface LongJson {
  readonly value: unknown;
  readonly error: unknown;
  /** False when characters before the JSON were skipped. */
  readonly isExact: boolean;
  /** The step that reads the value. */
  step: unknown;
  /** The number of its expressions that have not read the value yet. */
  readers: number;
  /** True when a part of it went into a message: it may change, so the next reader parses the text again. */
  isHandedOut: boolean;
}

interface LongText {
  readonly text: string;
  readonly json: LongJson;
}

const jsonByBytes = new WeakMap<Uint8Array, LongJson>();
/** The last text of a message, for the lifetime of the message: the next step may read it again. */
const textByMessage = new WeakMap<object, LongText>();
/** The text for the current step; its message keeps it alive. */
let current: WeakRef<LongText> | undefined;

/** The value parsed ahead from this text or these bytes; undefined when there is none. */
export function longJson(source: string | Uint8Array): LongJson | undefined {
  if (source.length < minLongJsonLength) return undefined;
  const json = typeof source === "string" ? ofCurrentText(source) : jsonByBytes.get(source);
  return json?.isHandedOut === true ? undefined : json;
}

function ofCurrentText(text: string): LongJson | undefined {
  const last = current?.deref();
  return last?.text === text ? last.json : undefined;
}

/**
 * Allows the caller to put parts of the parsed value into a message without a copy, unless another expression of the step still reads it. False when
 * the caller must copy.
 */
export function takeLongJson(source: string | Uint8Array): boolean {
  const json = longJson(source);
  if (json === undefined || --json.readers > 0) return false;
  json.isHandedOut = true;
  return true;
}

/** Counts an expression of a step that will read the value. */
export function addReader(json: LongJson, step: unknown): void {
  json.readers = json.step === step ? json.readers + 1 : 1;
  json.step = step;
}

/** Makes {@link longJson} return the parsed text of a message, for a step that reads it; false when it was not parsed yet. */
export function recallLongText(text: string, message: object, step: unknown): boolean {
  const cached = textByMessage.get(message);
  if (cached?.text !== text || cached.json.isHandedOut) return false;
  addReader(cached.json, step);
  current = new WeakRef(cached);
  return true;
}

export function cacheLongText(text: string, message: object, json: LongJson): void {
  const entry = { text, json };
  textByMessage.set(message, entry);
  current = new WeakRef(entry);
}

export function cacheLongBytes(bytes: Uint8Array, json: LongJson): void {
  jsonByBytes.set(bytes, json);
}
