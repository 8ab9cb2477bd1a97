import type { AccessRequest } from "../../http/access.ts";
import { headerOf } from "../credential-places.ts";
import type { HmacPreset, HmacScheme } from "../policy-document.ts";
import type { SignatureClaim, SignatureFormat } from "./hmac.ts";

const bytesOf: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 };
const maxSignatures = 10;
const defaultToleranceSec = 300;

/** How a scheme's sender writes and computes signatures. */
export function signatureFormat(scheme: HmacScheme): SignatureFormat {
  const toleranceMs = (scheme.toleranceSec ?? defaultToleranceSec) * 1000;
  return scheme.preset === undefined ? customFormat(scheme, toleranceMs) : { ...presets[scheme.preset], toleranceMs };
}

/** The signature's bytes; undefined for another encoding, another length or anything that does not encode back to the same text. */
function decode(text: string, encoding: string, algorithm: string): Buffer | undefined {
  const bytes = Buffer.from(text, encoding as BufferEncoding);
  if (bytes.length !== bytesOf[algorithm]) return undefined;
  return bytes.toString(encoding as BufferEncoding) === (encoding === "hex" ? text.toLowerCase() : text) ? bytes : undefined;
}

function single(text: string, prefix: string, encoding: string, algorithm: string): readonly Buffer[] | undefined {
  const signature = text.startsWith(prefix) ? decode(text.slice(prefix.length), encoding, algorithm) : undefined;
  return signature === undefined ? undefined : [signature];
}

function customFormat(scheme: HmacScheme, toleranceMs: number): SignatureFormat {
  const { header = "X-Signature", algorithm = "sha256", encoding = "hex", prefix = "", template = "{body}", timestampHeader } = scheme;
  const [before = "", after = ""] = template.split("{body}");
  const fill = (text: string, { method, path }: AccessRequest, { time = "" }: SignatureClaim): string =>
    text.replaceAll(/\{(timestamp|method|path)\}/g, (_all, name: string) => (name === "timestamp" ? time : name === "method" ? method : path));
  return {
    header,
    algorithm,
    timed: timestampHeader !== undefined,
    toleranceMs,
    read(text, request) {
      const signatures = single(text, prefix, encoding, algorithm);
      if (signatures === undefined || timestampHeader === undefined) return signatures === undefined ? undefined : { signatures };
      return { signatures, time: headerOf(request, timestampHeader.toLowerCase()) ?? "" };
    },
    around: before === "" && after === "" ? () => ["", ""] : (request, claim) => [fill(before, request, claim), fill(after, request, claim)],
  };
}

const sha256 = { algorithm: "sha256", toleranceMs: 0 } as const;

const presets: Readonly<Record<HmacPreset, SignatureFormat>> = {
  github: {
    ...sha256,
    header: "X-Hub-Signature-256",
    timed: false,
    read: (text) => claim(single(text, "sha256=", "hex", "sha256")),
    around: () => ["", ""],
  },
  shopify: {
    ...sha256,
    header: "X-Shopify-Hmac-Sha256",
    timed: false,
    read: (text) => claim(single(text, "", "base64", "sha256")),
    around: () => ["", ""],
  },
  slack: {
    ...sha256,
    header: "X-Slack-Signature",
    timed: true,
    read: (text, request) => claim(single(text, "v0=", "hex", "sha256"), headerOf(request, "x-slack-request-timestamp") ?? ""),
    around: (_request, { time = "" }) => [`v0:${time}:`, ""],
  },
  stripe: {
    ...sha256,
    header: "Stripe-Signature",
    timed: true,
    read: readStripe,
    around: (_request, { time = "" }) => [`${time}.`, ""],
  },
  "standard-webhooks": {
    ...sha256,
    header: "Webhook-Signature",
    timed: true,
    read: readStandard,
    around: (_request, { time = "", messageId = "" }) => [`${messageId}.${time}.`, ""],
  },
};

function claim(signatures: readonly Buffer[] | undefined, time?: string): SignatureClaim | undefined {
  return signatures === undefined || signatures.length === 0 ? undefined : { signatures, time };
}

/** `t=1700000000,v1=…,v1=…`; other versions are not read. */
function readStripe(text: string): SignatureClaim | undefined {
  const items = text.split(",", maxSignatures + 1).map((item) => item.trim());
  const times = items.filter((item) => item.startsWith("t="));
  const signatures = items.filter((item) => item.startsWith("v1=")).map((item) => decode(item.slice(3), "hex", "sha256"));
  return times.length === 1 ? claim(known(signatures), (times[0] as string).slice(2)) : undefined;
}

/** `v1,<base64> v1,<base64>`; the id and the time have headers of their own. */
function readStandard(text: string, request: AccessRequest): SignatureClaim | undefined {
  const signatures = text
    .split(" ", maxSignatures)
    .filter((item) => item.startsWith("v1,"))
    .map((item) => decode(item.slice(3), "base64", "sha256"));
  const messageId = headerOf(request, "webhook-id") ?? "";
  const found = claim(known(signatures), headerOf(request, "webhook-timestamp") ?? "");
  return found === undefined || messageId === "" ? undefined : { ...found, messageId };
}

const known = (signatures: readonly (Buffer | undefined)[]): readonly Buffer[] => signatures.filter((signature) => signature !== undefined);
