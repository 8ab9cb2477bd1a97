// Compares the result of a replay with the original.
import { isDeepStrictEqual } from "node:util";
import { isSecretHeader, masked } from "../masking/secret-headers.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { RunOutcome } from "./replay-store.ts";

type Json = Readonly<Record<string, unknown>>;

/** `null` where the original was not stored. */
export function differences(original: Partial<RunOutcome> & { readonly status: string }, replay: RunOutcome): Json {
  const status = { before: original.status, after: replay.status };
  const error = { before: readable(original.error), after: readable(replay.error) };
  const kept = original.bodyType !== undefined;
  const body =
    !kept || original.body === undefined || replay.body === undefined
      ? null
      : { changed: !isDeepStrictEqual(original.body, replay.body), before: original.body, after: replay.body };
  const headers = kept ? headerChanges(original.headers ?? {}, replay.headers) : null;
  const same =
    status.before === status.after &&
    original.error?.type === replay.error?.type &&
    original.error?.message === replay.error?.message &&
    body?.changed === false &&
    headers !== null &&
    Object.values(headers).every((part) => Object.keys(part).length === 0);
  return { same: body === null || headers === null ? null : same, status, error, body, headers };
}

function readable(error: RunOutcome["error"] | undefined): RunOutcome["error"] {
  return error === undefined || error === null ? null : { ...error, message: maskUris(error.message) };
}

function headerChanges(before: Json, after: Json): Readonly<Record<"added" | "removed" | "changed", Json>> {
  const shown = (name: string, value: unknown): unknown => (isSecretHeader(name) ? masked : value);
  const [added, removed, changed] = [new Map<string, unknown>(), new Map<string, unknown>(), new Map<string, unknown>()];
  for (const [name, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, name)) added.set(name, shown(name, value));
    else if (!isDeepStrictEqual(before[name], value)) changed.set(name, { before: shown(name, before[name]), after: shown(name, value) });
  }
  for (const [name, value] of Object.entries(before)) if (!Object.hasOwn(after, name)) removed.set(name, shown(name, value));
  return { added: Object.fromEntries(added), removed: Object.fromEntries(removed), changed: Object.fromEntries(changed) };
}
