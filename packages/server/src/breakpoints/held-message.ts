// Masks the secrets of a held message for the API, and applies the changes of a client. Values that a client sends back as it received them
// keep their originals, so that it can change one field of a message without knowing its secrets.
import type { Message } from "@sluice/engine";
import { bodyTypeOf, toPlainWithin } from "@sluice/engine/values";
import { maskEnd, shownHeaders } from "../masking/preview.ts";
import { masked } from "../masking/secret-headers.ts";
import { maskMembersOf } from "../masking/secret-members.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { ServiceError } from "../service-error.ts";
import { decodeBody, type EncodedBody } from "../sessions/decode-body.ts";
import { limitHeaders } from "../sessions/limit-headers.ts";

type Json = Readonly<Record<string, unknown>>;

export interface MessageChange extends EncodedBody {
  /** null removes a header. */
  readonly headers?: Json | undefined;
}

const maxBodyLength = 256 * 1_024;

export interface MaskedMessage {
  readonly body: unknown;
  readonly bodyType: string;
  /** True when the body is too long to return completely; it cannot be changed then. */
  readonly truncated: boolean;
  readonly headers: Json;
}

export function maskMessage({ body, headers }: Message, secrets: SecretValues): MaskedMessage {
  const { plain, complete } = toPlainWithin(body, maxBodyLength);
  const content = {
    body: maskMembersOf(complete ? plain : maskEnd(plain, secrets.records)),
    bodyType: bodyTypeOf(body),
    truncated: !complete,
    headers: shownHeaders(headers),
  };
  return JSON.parse(secrets.records.scrubJson(JSON.stringify(content))) as MaskedMessage;
}

/** Changes the message and returns the names of the changed parts, for the log. Throws before it changes anything. */
export function changeMessage(message: Message, returned: MaskedMessage, change: MessageChange): readonly string[] {
  const submitted = decodeBody(change);
  const returnedHeaders = new Map(Object.entries(returned.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const headers = Object.entries(limitHeaders(change.headers) ?? {}).filter(([name, value]) => !isSame(returnedHeaders.get(name.toLowerCase()), value));
  for (const [name, value] of headers) if (JSON.stringify(value).includes(masked)) throw containsMasked(`the header '${name}'`);
  const isBodyChanged = submitted !== undefined && !isSame(submitted, returned.body);
  if (isBodyChanged) message.body = changedBody(message.body, returned, submitted);
  for (const [name, value] of headers) {
    if (value === null) message.headers.delete(name);
    else message.headers.set(name, value);
  }
  return [...(isBodyChanged ? ["body"] : []), ...headers.map(([name]) => `header '${name}'`)];
}

function changedBody(original: unknown, returned: MaskedMessage, submitted: unknown): unknown {
  if (returned.truncated) throw new ServiceError("conflict", `the body is longer than ${maxBodyLength} characters and cannot be changed`);
  return restoreOriginals(submitted, returned.body, toPlainWithin(original, Infinity).plain);
}

const containsMasked = (part: string): ServiceError =>
  new ServiceError("body-invalid", `${part} contains masked values ('${masked}'): replace them, or leave ${part} unchanged`);

/** Replaces the values that equal the returned ones with their originals. A masked value in another place has no original. */
function restoreOriginals(submitted: unknown, returned: unknown, original: unknown): unknown {
  if (isSame(submitted, returned)) return original;
  if (typeof submitted === "string" && submitted.includes(masked)) throw containsMasked("the body");
  if (Array.isArray(submitted)) return submitted.map((item, index) => restoreOriginals(item, itemOf(returned, index), itemOf(original, index)));
  if (typeof submitted !== "object" || submitted === null || submitted instanceof Uint8Array) return submitted;
  return Object.fromEntries(
    Object.entries(submitted).map(([name, value]) => [name, restoreOriginals(value, memberOf(returned, name), memberOf(original, name))]),
  );
}

const itemOf = (list: unknown, index: number): unknown => (Array.isArray(list) ? (list as readonly unknown[])[index] : undefined);
const memberOf = (object: unknown, name: string): unknown =>
  typeof object === "object" && object !== null && Object.hasOwn(object, name) ? (object as Json)[name] : undefined;
const isSame = (a: unknown, b: unknown): boolean => a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));
