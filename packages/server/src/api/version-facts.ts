import { createHash } from "node:crypto";
import { f } from "@sluice/model";
import type { VersionFacts } from "../flows/flow-store.ts";
import { Refusal } from "../refusal.ts";

const maxLengths = { by: 100, comment: 500 } as const;
const tokenAuthor = "token:";

/** Query of the calls that create a version. */
export const versionQuery = {
  by: f.string({ doc: "The author, for the version history; by default the fingerprint of the deploy token." }),
  comment: f.string({ doc: "Description of the change, for the version history." }),
};

/** How calls without a named author are listed; undefined when there is no token. */
export const tokenFingerprint = (token: string | undefined): string | undefined =>
  token === undefined || token.trim() === "" ? undefined : tokenAuthor + createHash("sha256").update(token.trim()).digest("hex").slice(0, 8);

export function versionFacts(
  query: { readonly by?: string | undefined; readonly comment?: string | undefined },
  fingerprint: string | undefined,
): VersionFacts {
  for (const name of ["by", "comment"] as const) {
    const value = query[name] ?? "";
    if (value.length > maxLengths[name]) throw new Refusal("query-invalid", `${name} must have at most ${maxLengths[name]} characters`);
    if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)) throw new Refusal("query-invalid", `${name} must be one line without control characters`);
  }
  if (query.by?.startsWith(tokenAuthor) === true)
    throw new Refusal("query-invalid", `by must not start with '${tokenAuthor}', which marks fingerprints of tokens`);
  return { by: given(query.by) ?? fingerprint, comment: given(query.comment) };
}

const given = (text: string | undefined): string | undefined => (text === undefined || text.trim() === "" ? undefined : text.trim());
