import { ServiceError } from "../service-error.ts";

export interface EncodedBody {
  readonly body?: unknown;
  readonly bodyBase64?: string | undefined;
}

const base64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

/** The message body of a request, as JSON or base64-encoded bytes; undefined when there is none. */
export function decodeBody({ body, bodyBase64 }: EncodedBody): unknown {
  if (bodyBase64 === undefined) return body;
  if (body !== undefined) throw new ServiceError("body-invalid", "send either body or bodyBase64, not both");
  if (!base64.test(bodyBase64)) throw new ServiceError("body-invalid", "bodyBase64 must be base64");
  return new Uint8Array(Buffer.from(bodyBase64, "base64"));
}
