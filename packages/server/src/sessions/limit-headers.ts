import { ServiceError } from "../service-error.ts";

/** Higher than the limit for webhook calls. Without a limit, a message with very many headers would block the event loop. */
const maxHeaders = 1_000;

/** Checks the number of message headers in a request. */
export function limitHeaders<T extends Readonly<Record<string, unknown>> | undefined>(headers: T): T {
  if (headers !== undefined && Object.keys(headers).length > maxHeaders)
    throw new ServiceError("body-invalid", `headers must have at most ${maxHeaders} entries`);
  return headers;
}
