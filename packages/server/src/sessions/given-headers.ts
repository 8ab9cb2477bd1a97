import { Refusal } from "../refusal.ts";

/** More than any caller of a webhook may bring; a message with hundreds of thousands would hold up everybody else. */
const mostHeaders = 1_000;

/** The message headers a caller wrote. */
export function givenHeaders<T extends Readonly<Record<string, unknown>> | undefined>(headers: T): T {
  if (headers !== undefined && Object.keys(headers).length > mostHeaders) throw new Refusal("body-invalid", `headers must have ${mostHeaders} names at most`);
  return headers;
}
