// Optimistic locking: changes of a document can be limited to a version with `If-Match`.
import { ServiceError } from "./service-error.ts";

/** Rejects a change that is based on another version. `ifMatch` has the hashes of versions that may be replaced; `*` matches any existing version. */
export function rejectIfStale(subject: string, ifMatch: readonly string[] | undefined, current: { readonly hash?: string } | undefined): void {
  if (ifMatch === undefined) return;
  if (current !== undefined && (ifMatch.includes("*") || (current.hash !== undefined && ifMatch.includes(current.hash)))) return;
  throw new ServiceError(
    "changed",
    ifMatch.includes("*")
      ? `${subject} does not exist, but 'If-Match: *' requires it: remove the header`
      : `${subject} changed since hash ${ifMatch.join(", ").slice(0, 200)}`,
  );
}
