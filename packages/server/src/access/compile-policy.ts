// Compiles a policy into an access check. Everything that does not depend on the request is computed here.
import { addressSet, sourceOf } from "./address.ts";
import { accessRules } from "./access-rules.ts";
import type { ClientAddress } from "./client-address.ts";
import { corsRules } from "./cors-headers.ts";
import { PolicyCheck } from "./policy-check.ts";
import type { Policy, RateLimit, Scheme } from "./policy-document.ts";
import { apiKeyScheme } from "./schemes/api-key.ts";
import { basicScheme } from "./schemes/basic.ts";
import type { CredentialScheme, SchemeParts } from "./schemes/credential-scheme.ts";
import { hmacScheme, isOnceOnly } from "./schemes/hmac.ts";
import { jwtScheme } from "./schemes/jwt.ts";
import { MemorySignatures, type UsedSignatures } from "./schemes/used-signatures.ts";
import { TokenBuckets } from "./token-buckets.ts";

export interface CompileParts extends SchemeParts {
  readonly clientOf: ClientAddress;
  /** The used signatures that the nodes of a cluster share. */
  signaturesOf?(flowId: string): UsedSignatures;
}

/** State that is carried over when the policy changes. */
interface PolicyState {
  readonly rate: RateState | undefined;
  readonly used: UsedSignatures;
}

/** Rate limit state; reset when the limit changes. */
interface RateState {
  readonly limit: RateLimit;
  readonly buckets: TokenBuckets;
}

export interface CompiledPolicy extends PolicyState {
  readonly check: PolicyCheck;
  /** True when the check depends on earlier requests, so that one process must handle all of them. */
  readonly needsOneProcess: boolean;
}

const maxRateKeys = 10_000;

export function compilePolicy(flowId: string, policy: Policy, parts: CompileParts, previous?: PolicyState): CompiledPolicy {
  const { authenticate = [], ip, cors } = policy;
  const rate = rateState(policy.rateLimit, parts, previous?.rate);
  const used = previous?.used ?? parts.signaturesOf?.(flowId) ?? new MemorySignatures(parts.monotonic);
  const check = new PolicyCheck({
    flowId,
    schemes: authenticate.map((scheme) => compileScheme(scheme, flowId, parts, authenticate, used)),
    requirementOf: accessRules(policy),
    admitsAddress: addressRule(ip),
    rate: rate === undefined ? undefined : { by: rate.limit.by ?? "principal", buckets: rate.buckets },
    cors: cors === undefined ? undefined : corsRules(cors),
    clientOf: parts.clientOf,
    sourceOf,
    failedAttempts: parts.failedAttempts,
  });
  return { check, rate, used, needsOneProcess: needsOneProcess(policy) };
}

/** True for rate limits and for signatures that are valid once: one process must handle all requests. */
const needsOneProcess = ({ rateLimit, authenticate = [] }: Policy): boolean =>
  rateLimit !== undefined || authenticate.some((scheme) => scheme.type === "hmac" && isOnceOnly(scheme));

function compileScheme(scheme: Scheme, flowId: string, parts: SchemeParts, all: readonly Scheme[], used: UsedSignatures): CredentialScheme {
  switch (scheme.type) {
    case "apiKey":
      return apiKeyScheme(scheme, parts);
    case "basic":
      return basicScheme(scheme, flowId, parts);
    case "jwt":
      return jwtScheme(scheme, flowId, parts, all.filter(({ type }) => type === "jwt").length === 1);
    case "hmac":
      return hmacScheme(scheme, parts, used);
  }
}

/** Denied addresses are rejected even if an allowed network contains them. Without an allow list all others are accepted. */
function addressRule(ip: Policy["ip"]): ((address: string) => boolean) | undefined {
  if (ip === undefined || (ip.allow === undefined && (ip.deny ?? []).length === 0)) return undefined;
  const isAllowed = ip.allow === undefined ? () => true : addressSet(ip.allow);
  const isDenied = addressSet(ip.deny ?? []);
  return (address) => isAllowed(address) && !isDenied(address);
}

function rateState(limit: RateLimit | undefined, { monotonic }: SchemeParts, previous: RateState | undefined): RateState | undefined {
  if (limit === undefined) return undefined;
  const last = previous?.limit;
  if (last?.limit === limit.limit && last.windowSec === limit.windowSec && last.by === limit.by) return previous;
  return { limit, buckets: new TokenBuckets({ capacity: limit.limit, refillMs: (limit.windowSec * 1000) / limit.limit, maxKeys: maxRateKeys, monotonic }) };
}
