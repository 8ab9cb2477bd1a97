import type { BinaryToTextEncoding } from "node:crypto";
import type { AccessRequest } from "../../http/access.ts";
import { headerOf } from "../credential-locations.ts";
import type { HmacPreset, HmacScheme } from "../policy-document.ts";

/** The signed text before and after the body. */
export type SignedText = readonly [before: string, after: string];

/** The parsed signature header. */
interface ParsedSignature {
  /** In the format's encoding, as sent. */
  readonly signatures: readonly string[];
  /** Unix time in seconds, as sent. */
  readonly time?: string;
  readonly messageId?: string;
}

export interface SignatureFormat {
  readonly header: string;
  readonly algorithm: string;
  readonly encoding: BinaryToTextEncoding;
  /** Whether a timestamp is signed too. */
  readonly timed: boolean;
  readonly toleranceMs: number;
  /** Undefined when the header does not have this format. */
  read(header: string, request: AccessRequest): ParsedSignature | undefined;
  signedText(request: AccessRequest, parsed: ParsedSignature): SignedText;
}

const maxSignatures = 10;
const bodyOnly: SignedText = ["", ""];
const defaultToleranceSec = 300;

/** How the sender formats and computes signatures. */
export function signatureFormat(scheme: HmacScheme): SignatureFormat {
  const toleranceMs = (scheme.toleranceSec ?? defaultToleranceSec) * 1000;
  return scheme.preset === undefined ? customFormat(scheme, toleranceMs) : { ...presets[scheme.preset], toleranceMs };
}

/** The signature after the prefix; undefined without the prefix. Invalid encodings never match. */
function singleSignature(text: string, prefix: string): readonly string[] | undefined {
  return text.startsWith(prefix) ? [prefix === "" ? text : text.slice(prefix.length)] : undefined;
}

function customFormat(scheme: HmacScheme, toleranceMs: number): SignatureFormat {
  const { header = "X-Signature", algorithm = "sha256", prefix = "", template = "{body}", timestampHeader } = scheme;
  const encoding = (scheme.encoding ?? "hex") as BinaryToTextEncoding;
  const [before = "", after = ""] = template.split("{body}");
  const fill = (text: string, { method, path }: AccessRequest, { time = "" }: ParsedSignature): string =>
    text.replaceAll(/\{(timestamp|method|path)\}/g, (_all, name: string) => (name === "timestamp" ? time : name === "method" ? method : path));
  return {
    header,
    algorithm,
    encoding,
    timed: timestampHeader !== undefined,
    toleranceMs,
    read(text, request) {
      const signatures = singleSignature(text, prefix);
      if (signatures === undefined || timestampHeader === undefined) return signatures === undefined ? undefined : { signatures };
      return { signatures, time: headerOf(request, timestampHeader.toLowerCase()) ?? "" };
    },
    signedText: before === "" && after === "" ? () => bodyOnly : (request, parsed) => [fill(before, request, parsed), fill(after, request, parsed)],
  };
}

const sha256 = { algorithm: "sha256", encoding: "hex", toleranceMs: 0 } as const;

const presets: Readonly<Record<HmacPreset, SignatureFormat>> = {
  github: {
    ...sha256,
    header: "X-Hub-Signature-256",
    timed: false,
    read: (text) => parsedSignature(singleSignature(text, "sha256=")),
    signedText: () => bodyOnly,
  },
  shopify: {
    ...sha256,
    encoding: "base64",
    header: "X-Shopify-Hmac-Sha256",
    timed: false,
    read: (text) => parsedSignature(singleSignature(text, "")),
    signedText: () => bodyOnly,
  },
  slack: {
    ...sha256,
    header: "X-Slack-Signature",
    timed: true,
    read: (text, request) => parsedSignature(singleSignature(text, "v0="), headerOf(request, "x-slack-request-timestamp") ?? ""),
    signedText: (_request, { time = "" }) => [`v0:${time}:`, ""],
  },
  stripe: {
    ...sha256,
    header: "Stripe-Signature",
    timed: true,
    read: readStripe,
    signedText: (_request, { time = "" }) => [`${time}.`, ""],
  },
  "standard-webhooks": {
    ...sha256,
    encoding: "base64",
    header: "Webhook-Signature",
    timed: true,
    read: readStandard,
    signedText: (_request, { time = "", messageId = "" }) => [`${messageId}.${time}.`, ""],
  },
};

function parsedSignature(signatures: readonly string[] | undefined, time?: string): ParsedSignature | undefined {
  return signatures === undefined || signatures.length === 0 ? undefined : { signatures, time };
}

/** `t=1700000000,v1=…,v1=…`; other versions are ignored. */
function readStripe(text: string): ParsedSignature | undefined {
  const items = text.split(",", maxSignatures + 1).map((item) => item.trim());
  const times = items.filter((item) => item.startsWith("t="));
  const signatures = items.filter((item) => item.startsWith("v1=")).map((item) => item.slice(3));
  return times.length === 1 ? parsedSignature(signatures, (times[0] as string).slice(2)) : undefined;
}

/** `v1,<base64> v1,<base64>`; id and time are in separate headers. */
function readStandard(text: string, request: AccessRequest): ParsedSignature | undefined {
  const signatures = text
    .split(" ", maxSignatures)
    .filter((item) => item.startsWith("v1,"))
    .map((item) => item.slice(3));
  const messageId = headerOf(request, "webhook-id") ?? "";
  const parsed = parsedSignature(signatures, headerOf(request, "webhook-timestamp") ?? "");
  return parsed === undefined || messageId === "" ? undefined : { ...parsed, messageId };
}
