// Signed bodies. A template defines the signed content: text before and after the raw body. Presets define the formats of common senders.
import type { Awaitable } from "@sluice/engine/spi";
import { headerOf } from "../credential-locations.ts";
import { signingKeyBytes } from "../signing-key.ts";
import type { HmacScheme, Principal } from "../policy-document.ts";
import { principalOf, type CredentialScheme, type SchemeParts } from "./credential-scheme.ts";
import { hmacMatcher, type HmacMatcher } from "./hmac-matcher.ts";
import type { UsedSignatures } from "./used-signatures.ts";
import { signatureFormat, type SignedText } from "./signature-format.ts";

export function hmacScheme(scheme: HmacScheme, parts: SchemeParts, used: UsedSignatures): CredentialScheme {
  const format = signatureFormat(scheme);
  const header = format.header.toLowerCase();
  const matchers = scheme.secrets
    .map((secret) => ("env" in secret ? parts.variable(secret.env) : secret.value))
    .map((value) => (value === undefined ? undefined : signingKeyBytes(value, scheme.preset)))
    .filter((bytes) => bytes !== undefined)
    .map((bytes) => hmacMatcher(format.algorithm, bytes, format.encoding));
  const principal = principalOf("hmac", scheme.id ?? scheme.preset ?? "hmac", scheme.roles);
  /** A signature with a timestamp is valid once; retries must be signed again. */
  const recordUse = (signature: string): Awaitable<boolean> =>
    used.checkAndRecord(format.encoding === "hex" ? signature.toLowerCase() : signature, replayableMs(scheme));
  const acceptUnused = (wasUsed: boolean): Principal | "wrong" => (wasUsed ? "wrong" : principal);

  return {
    guessable: false,
    challenge: `Signature header="${format.header}"`,
    headers: [header],
    queryNames: [],
    read: (request) => headerOf(request, header),
    verify(credential, request) {
      const parsed = format.read(credential, request);
      if (parsed === undefined || (parsed.time !== undefined && !isRecent(parsed.time, format.toleranceMs, parts.now()))) return "wrong";
      const { signatures } = parsed;
      const signed = format.signedText(request, parsed);
      return {
        verifyBody(body) {
          const match = findMatch(matchers, signatures, signed, body);
          if (match === undefined) return "wrong";
          if (!format.timed) return principal;
          const wasUsed = recordUse(match);
          return wasUsed instanceof Promise ? wasUsed.then(acceptUnused, () => "unavailable" as const) : acceptUnused(wasUsed);
        },
      };
    },
  };
}

/** True when signatures are valid only once, which requires one process to track them. */
export const isOnceOnly = (scheme: HmacScheme): boolean => signatureFormat(scheme).timed;

/** How long a used signature must be recorded: its timestamp may be ahead of the clock by the tolerance, and is accepted for the tolerance after that. */
export const replayableMs = (scheme: HmacScheme): number => 2 * signatureFormat(scheme).toleranceMs;

function findMatch(matchers: readonly HmacMatcher[], signatures: readonly string[], [before, after]: SignedText, body: Uint8Array): string | undefined {
  let match: string | undefined;
  for (const matcher of matchers) match = matcher(before, body, after, signatures) ?? match;
  return match;
}

function isRecent(time: string, toleranceMs: number, now: number): boolean {
  return /^\d{1,12}$/.test(time) && Math.abs(now - Number(time) * 1000) <= toleranceMs;
}
