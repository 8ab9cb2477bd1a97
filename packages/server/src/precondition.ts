// Conditional requests (RFC 9110, section 13): `If-Match` limits a change to a version, `If-None-Match: *` to an item that does not exist yet, and
// `If-None-Match` with an ETag makes a reply that the caller already has unnecessary.
import type { IncomingHttpHeaders } from "node:http";
import { ServiceError } from "./service-error.ts";

/** What a change does to an existing item, for the message about `If-None-Match: *`. */
export type ChangeOfExisting = "replace it" | "delete it" | "roll it back";

export interface Precondition {
  readonly ifMatch: EntityTags | undefined;
  readonly ifNoneMatch: EntityTags | undefined;
  readonly change: ChangeOfExisting;
}

/** `*` matches any existing version. */
type EntityTags = "*" | readonly EntityTag[];

interface EntityTag {
  readonly hash: string;
  readonly isWeak: boolean;
}

type Version = { readonly hash?: string } | undefined;

export const noPrecondition: Precondition = { ifMatch: undefined, ifNoneMatch: undefined, change: "replace it" };

/** The precondition in the headers of a change. */
export const readPrecondition = (headers: IncomingHttpHeaders, change: ChangeOfExisting): Precondition => ({
  ifMatch: readTags("If-Match", headers["if-match"]),
  ifNoneMatch: readTags("If-None-Match", headers["if-none-match"]),
  change,
});

/** Rejects a change of an item whose current version does not meet the precondition. */
export function checkPrecondition(subject: string, { ifMatch, ifNoneMatch, change }: Precondition, current: Version): void {
  if (ifMatch !== undefined && !matches(ifMatch, current, "strong")) throw new ServiceError("changed", mismatch(subject, ifMatch));
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, current, "weak"))
    throw new ServiceError(
      "already-exists",
      ifNoneMatch === "*" ? `${subject} already exists: remove 'If-None-Match: *' to ${change}` : `${subject} has the hash in If-None-Match`,
    );
}

/** Whether the caller of a GET has the version with this ETag. */
export function isKnownVersion(headers: IncomingHttpHeaders, etag: string): boolean {
  const tags = readTags("If-None-Match", headers["if-none-match"]);
  return tags !== undefined && matches(tags, { hash: etag.slice(1, -1) }, "weak");
}

/** The strong comparison ignores weak tags, because their version may differ in its bytes. */
function matches(tags: EntityTags, current: Version, comparison: "strong" | "weak"): boolean {
  if (tags === "*" || current === undefined) return current !== undefined;
  return tags.some(({ hash, isWeak }) => hash === current.hash && (comparison === "weak" || !isWeak));
}

function mismatch(subject: string, ifMatch: EntityTags): string {
  if (ifMatch === "*") return `${subject} does not exist, but 'If-Match: *' requires it: remove the header`;
  if (ifMatch.every(({ isWeak }) => isWeak)) return `${subject} cannot be matched by a weak ETag: remove 'W/' from If-Match`;
  const hashes = ifMatch.map(({ hash }) => hash).join(", ");
  return `${subject} changed since hash ${hashes.slice(0, 200)}`;
}

/** Reads `*` or a list of ETags, which may contain commas; undefined without the header. */
function readTags(name: string, value: string | undefined): EntityTags | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === "*") return "*";
  const tags: EntityTag[] = [];
  // A list may have empty elements.
  const element = /[ \t,]*(?:(W\/)?"([^"]*)"[ \t]*(?=,|$)|$)/y;
  while (element.lastIndex < value.length) {
    const found = element.exec(value);
    if (found === null) throw unreadable(name);
    const [, weak, hash] = found;
    if (hash !== undefined) tags.push({ hash, isWeak: weak !== undefined });
  }
  if (tags.length === 0) throw unreadable(name);
  return tags;
}

const unreadable = (name: string): ServiceError => new ServiceError("request-invalid", `${name} must be '*' or hashes in double quotes, such as "2c26b46b"`);
