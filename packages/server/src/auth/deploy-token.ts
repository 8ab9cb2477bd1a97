// The one check of the management API's bearer token. Both sides are hashed first, so the comparison takes the same
// time whatever was presented, its length included.
import { createHash, timingSafeEqual } from "node:crypto";

export type TokenVerdict = "accepted" | "unauthorized" | "unconfigured";

/** Tells whether a request may use the management API. `authorization` holds every Authorization header of the request. */
export type TokenCheck = (authorization: readonly string[]) => TokenVerdict;

const digest = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();

/** Builds the check from the token as it is now; a later change of where it came from has no effect. */
export function createTokenCheck(token: string | undefined): TokenCheck {
  if (token === undefined || token.trim() === "") return () => "unconfigured";
  const expected = digest(Buffer.from(token.trim(), "utf8"));
  return (authorization) => {
    // Two headers could be read differently by a proxy in front of us: nobody is let in by either.
    const header = authorization.length === 1 ? (authorization[0] as string) : "";
    const presented = /^bearer +/i.exec(header);
    // Node hands header bytes over as Latin-1 characters; what counts is the bytes.
    const matches = timingSafeEqual(digest(Buffer.from(presented === null ? "" : header.slice(presented[0].length), "latin1")), expected);
    return presented !== null && matches ? "accepted" : "unauthorized";
  };
}
