import { createHash } from "node:crypto";
import { f } from "@sluice/model";
import type { VersionMetadata } from "../flows/flow-store.ts";
import { ServiceError } from "../service-error.ts";

const maxLengths = { by: 100, comment: 500 } as const;
const tokenPrefix = "token:";

/** The query parameters of calls that create a version. */
export const versionQuery = {
  by: f.string({ doc: "The author, for the version history; by default the fingerprint of the deploy token." }),
  comment: f.string({ doc: "Description of the change, for the version history." }),
};

/** The default author of a change; undefined without a token. */
export const tokenFingerprint = (token: string | undefined): string | undefined =>
  token === undefined || token.trim() === "" ? undefined : tokenPrefix + createHash("sha256").update(token.trim()).digest("hex").slice(0, 8);

export function versionMetadata(
  query: { readonly by?: string | undefined; readonly comment?: string | undefined },
  fingerprint: string | undefined,
): VersionMetadata {
  for (const name of ["by", "comment"] as const) {
    const value = query[name] ?? "";
    if (value.length > maxLengths[name]) throw new ServiceError("query-invalid", `${name} must have at most ${maxLengths[name]} characters`);
    if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)) throw new ServiceError("query-invalid", `${name} must be one line without control characters`);
  }
  if (query.by?.startsWith(tokenPrefix) === true)
    throw new ServiceError("query-invalid", `by must not start with '${tokenPrefix}', which marks fingerprints of tokens`);
  return { by: trimText(query.by) ?? fingerprint, comment: trimText(query.comment) };
}

const trimText = (text: string | undefined): string | undefined => (text === undefined || text.trim() === "" ? undefined : text.trim());
