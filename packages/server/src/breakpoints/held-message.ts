// A held message as the API shows it, with masked secrets, and the changes a client makes to it. Values that are still as shown keep their
// originals, so that a client can change one field of a message without knowing its secrets.
import type { Message } from "@sluice/engine";
import { bodyTypeOf, toPlainWithin } from "@sluice/engine/values";
import { shownHeaders } from "../masking/preview.ts";
import { masked } from "../masking/secret-headers.ts";
import { maskMembersOf } from "../masking/secret-members.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { Refusal } from "../refusal.ts";
import { decodeBody, type EncodedBody } from "../sessions/decode-body.ts";
import { limitHeaders } from "../sessions/limit-headers.ts";

type Json = Readonly<Record<string, unknown>>;

export interface MessageChange extends EncodedBody {
  /** null removes a header. */
  readonly headers?: Json | undefined;
}

const maxBodyLength = 256 * 1_024;

export interface ShownMessage {
  readonly body: unknown;
  readonly bodyType: string;
  /** The body was too long to show, so it cannot be changed either. */
  readonly truncated: boolean;
  readonly headers: Json;
}

export function showMessage({ body, headers }: Message, secrets: SecretValues): ShownMessage {
  const { plain, complete } = toPlainWithin(body, maxBodyLength);
  const shown = { body: maskMembersOf(plain), bodyType: bodyTypeOf(body), truncated: !complete, headers: shownHeaders(headers) };
  return JSON.parse(secrets.records.scrubJson(JSON.stringify(shown))) as ShownMessage;
}

/** Changes the message; returns what changed, for the log. Throws before anything has changed. */
export function changeMessage(message: Message, shown: ShownMessage, change: MessageChange): readonly string[] {
  const given = decodeBody(change);
  const headers = Object.entries(limitHeaders(change.headers) ?? {}).filter(([name, value]) => !isSame(shown.headers[name], value));
  const isBodyChanged = given !== undefined && !isSame(given, shown.body);
  if (isBodyChanged) message.body = changedBody(message.body, shown, given);
  for (const [name, value] of headers) {
    if (value === null) message.headers.delete(name);
    else message.headers.set(name, value);
  }
  return [...(isBodyChanged ? ["body"] : []), ...headers.map(([name]) => `header '${name}'`)];
}

function changedBody(original: unknown, shown: ShownMessage, given: unknown): unknown {
  if (shown.truncated) throw new Refusal("conflict", `the body is longer than ${maxBodyLength} characters and cannot be changed`);
  if (typeof given === "string" && given.includes(masked))
    throw new Refusal("body-invalid", `the body contains masked values ('${masked}'): replace them, or leave the body unchanged`);
  return merged(given, shown.body, toPlainWithin(original, Infinity).plain);
}

function merged(given: unknown, shown: unknown, original: unknown): unknown {
  if (isSame(given, shown)) return original;
  if (Array.isArray(given)) return given.map((item, index) => merged(item, itemOf(shown, index), itemOf(original, index)));
  if (typeof given !== "object" || given === null || given instanceof Uint8Array) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, hasMember(shown, name) ? merged(value, memberOf(shown, name), memberOf(original, name)) : value]),
  );
}

const itemOf = (list: unknown, index: number): unknown => (Array.isArray(list) ? (list as readonly unknown[])[index] : undefined);
const hasMember = (object: unknown, name: string): boolean => typeof object === "object" && object !== null && Object.hasOwn(object, name);
const memberOf = (object: unknown, name: string): unknown => (hasMember(object, name) ? (object as Json)[name] : undefined);
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other));
