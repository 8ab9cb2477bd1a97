import { Refusal } from "../refusal.ts";

export interface GivenBody {
  readonly body?: unknown;
  readonly bodyBase64?: string | undefined;
}

const base64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

/** The message body a caller wrote, as JSON or as bytes in base64; undefined when it wrote none. */
export function givenBody({ body, bodyBase64 }: GivenBody): unknown {
  if (bodyBase64 === undefined) return body;
  if (body !== undefined) throw new Refusal("body-invalid", "give either body or bodyBase64, not both");
  if (!base64.test(bodyBase64)) throw new Refusal("body-invalid", "bodyBase64 must be base64");
  return new Uint8Array(Buffer.from(bodyBase64, "base64"));
}
