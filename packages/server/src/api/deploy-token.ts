// Checks the bearer token of the management API. Both sides are hashed first, so that the comparison takes constant time, even for
// different lengths.
import { createHash, timingSafeEqual } from "node:crypto";

export type TokenDecision = "accepted" | "unauthorized" | "unconfigured";

/** Checks whether a request may use the management API. `authorization` contains all Authorization headers. */
export type TokenCheck = (authorization: readonly string[]) => TokenDecision;

const digest = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();

/** Creates the check for this token. */
export function createTokenCheck(token: string | undefined): TokenCheck {
  if (token === undefined || token.trim() === "") return () => "unconfigured";
  const expected = digest(Buffer.from(token.trim(), "utf8"));
  return (authorization) => {
    // Reject repeated headers: a proxy may have checked a different one.
    const header = authorization.length === 1 ? (authorization[0] as string) : "";
    const scheme = /^bearer +/i.exec(header);
    // Node returns header bytes as Latin-1 characters; the digest is computed over the bytes.
    const matches = timingSafeEqual(digest(Buffer.from(scheme === null ? "" : header.slice(scheme[0].length), "latin1")), expected);
    return scheme !== null && matches ? "accepted" : "unauthorized";
  };
}
