import type { AccessCheck, AccessRequest } from "../http/access.ts";

/** Accepts only requests from open test sessions: the port of a trial is reachable by every user of the machine. */
export function sessionsOnly(isOpen: (sessionId: string) => boolean): () => AccessCheck {
  const check: AccessCheck = {
    check: (request) => (isOpen(sessionOf(request)) ? { kind: "granted", principal: undefined } : { kind: "denied", code: "forbidden", message: "forbidden" }),
  };
  return () => check;
}

function sessionOf({ rawHeaders }: AccessRequest): string {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "x-test-session");
  return at < 0 ? "" : (rawHeaders[at + 1] as string);
}
