// Long JSON texts that were parsed before an expression reads into them: see readJsonAhead.

/** Minimum length in characters or bytes for parsing ahead. */
export const longJsonFrom = 256 * 1024;

/** The value of a text, or its parse error. */
export interface LongJson {
  readonly value: unknown;
  readonly error: unknown;
  /** False when characters before the JSON were skipped. */
  readonly isExact: boolean;
}

interface LongText {
  readonly text: string;
  readonly json: LongJson;
}

const ofBytes = new WeakMap<Uint8Array, LongJson>();
/** The last text of a message, for the lifetime of the message: the next step may read it again. */
const ofMessages = new WeakMap<object, LongText>();
/** The text for the current step; its message keeps it alive. */
let current: WeakRef<LongText> | undefined;

/** The value parsed ahead from this text or these bytes; undefined when there is none. */
export function longJson(source: string | Uint8Array): LongJson | undefined {
  if (source.length < longJsonFrom) return undefined;
  if (typeof source !== "string") return ofBytes.get(source);
  const last = current?.deref();
  return last?.text === source ? last.json : undefined;
}

/** Makes {@link longJson} return the parsed text of a message; false when it was not parsed yet. */
export function recallLongText(text: string, message: object): boolean {
  const known = ofMessages.get(message);
  if (known?.text !== text) return false;
  current = new WeakRef(known);
  return true;
}

export function keepLongText(text: string, message: object, json: LongJson): void {
  const kept = { text, json };
  ofMessages.set(message, kept);
  current = new WeakRef(kept);
}

export function keepLongBytes(bytes: Uint8Array, json: LongJson): void {
  ofBytes.set(bytes, json);
}
