// Checks requests against a policy. The order is part of the API contract: address 403, credential 401, rule 403, rate 429; all before the
// body is read, except for signed bodies.
import type { Awaitable } from "@sluice/engine/spi";
import type { AccessCheck, AccessGranted, AccessNeedsBody, AccessDenied, AccessRequest } from "../http/access.ts";
import type { AccessRequirement } from "./access-rules.ts";
import type { CorsRules } from "./cors-headers.ts";
import type { Principal, RateLimit } from "./policy-document.ts";
import type { BodyVerification, CredentialScheme, CredentialResult } from "./schemes/credential-scheme.ts";
import { retryAfter, type TokenBuckets } from "./token-buckets.ts";

/** The compiled parts of a policy. */
export interface PolicyCheckParts {
  readonly flowId: string;
  readonly schemes: readonly CredentialScheme[];
  requirementOf(routeId: string, method: string): AccessRequirement;
  /** Undefined when all addresses are allowed. */
  readonly admitsAddress: ((address: string) => boolean) | undefined;
  readonly rate: { readonly by: RateLimit["by"]; readonly buckets: TokenBuckets } | undefined;
  readonly cors: CorsRules | undefined;
  clientOf(request: AccessRequest): string;
  /** The rate-limit key of an address. */
  sourceOf(address: string): string;
  readonly failedAttempts: TokenBuckets;
}

const maxSourceKeys = 1_000;

export class PolicyCheck implements AccessCheck {
  readonly #policy: PolicyCheckParts;
  readonly #challenge: string;
  readonly #hide: readonly string[];
  readonly #hideQuery: readonly string[] | undefined;
  /** Cache by address. */
  readonly #sourceKeys = new Map<string, string>();

  #lastGranted: AccessGranted;

  constructor(policy: PolicyCheckParts) {
    this.#policy = policy;
    this.#challenge = policy.schemes.map(({ challenge }) => challenge).join(", ");
    this.#hide = [...new Set(["authorization", ...policy.schemes.flatMap(({ headers }) => headers)])];
    const queryNames = policy.schemes.flatMap((scheme) => scheme.queryNames);
    this.#hideQuery = queryNames.length === 0 ? undefined : queryNames;
    this.#lastGranted = this.#grantedTo(undefined, undefined);
  }

  check(request: AccessRequest): Awaitable<AccessGranted | AccessDenied | AccessNeedsBody> {
    const { admitsAddress, clientOf, schemes } = this.#policy;
    if (admitsAddress !== undefined && !admitsAddress(clientOf(request))) return this.#deny(request, "forbidden", "forbidden");
    const requirement = this.#policy.requirementOf(request.routeId, request.method);
    if (requirement.isPublic || schemes.length === 0) return this.#admit(request, requirement, undefined);
    for (const scheme of schemes) {
      const credential = scheme.read(request);
      if (credential !== undefined) return this.#verify(request, requirement, scheme, credential);
    }
    return this.#unauthorized(request);
  }

  preflight(request: AccessRequest): Readonly<Record<string, string>> | undefined {
    return this.#policy.cors?.onPreflight(request);
  }

  #verify(
    request: AccessRequest,
    requirement: AccessRequirement,
    scheme: CredentialScheme,
    credential: string,
  ): Awaitable<AccessGranted | AccessDenied | AccessNeedsBody> {
    // Computed only for schemes that need it, because it is slow.
    const source = scheme.guessable ? this.#sourceKey(request) : "";
    if (scheme.guessable && this.#policy.failedAttempts.size > 0) {
      const wait = this.#policy.failedAttempts.waitMs(source);
      if (wait > 0) return this.#tooMany(request, wait);
    }
    const result = scheme.verify(credential, request, source);
    return result instanceof Promise ? result.then((resolved) => this.#decide(request, requirement, resolved)) : this.#decide(request, requirement, result);
  }

  #decide(request: AccessRequest, requirement: AccessRequirement, result: CredentialResult | BodyVerification): AccessGranted | AccessDenied | AccessNeedsBody {
    if (result === "wrong") return this.#wrong(request);
    if (result === "throttled") return this.#tooMany(request, this.#policy.failedAttempts.waitMs(this.#sourceKey(request)));
    if (result === "unavailable") return this.#unavailable(request);
    if (!("verifyBody" in result)) return this.#admit(request, requirement, result);
    return {
      kind: "needs-body",
      replyHeaders: this.#policy.cors?.onReply(request),
      check: (body) => {
        const verified = result.verifyBody(body);
        const decide = (outcome: Awaited<typeof verified>) => this.#decideWithBody(request, requirement, outcome);
        return verified instanceof Promise ? verified.then(decide) : decide(verified);
      },
    };
  }

  #decideWithBody(request: AccessRequest, requirement: AccessRequirement, result: Principal | "wrong" | "unavailable"): AccessGranted | AccessDenied {
    if (result === "unavailable") return this.#unavailable(request);
    return result === "wrong" ? this.#wrong(request) : this.#admit(request, requirement, result);
  }

  #admit(request: AccessRequest, requirement: AccessRequirement, principal: Principal | undefined): AccessGranted | AccessDenied {
    if (!requirement.admits(principal)) return this.#deny(request, "forbidden", "forbidden");
    const { rate, cors } = this.#policy;
    if (rate !== undefined) {
      const wait = rate.buckets.take(this.#rateKey(rate.by, request, principal));
      if (wait > 0) return this.#tooMany(request, wait);
    }
    if (cors !== undefined) return this.#grantedTo(principal, cors.onReply(request));
    // Consecutive requests often have the same caller, so the last result is reused.
    if (this.#lastGranted.principal !== principal) this.#lastGranted = this.#grantedTo(principal, undefined);
    return this.#lastGranted;
  }

  #grantedTo(principal: Principal | undefined, replyHeaders: Readonly<Record<string, string>> | undefined): AccessGranted {
    return { kind: "granted", principal, hide: this.#hide, hideQuery: this.#hideQuery, replyHeaders };
  }

  /** With `by: principal`, requests without a principal are limited by source address. */
  #rateKey(by: RateLimit["by"], request: AccessRequest, principal: Principal | undefined): string {
    if (by === "route") return request.routeId;
    return by === "ip" || principal === undefined ? `ip ${this.#sourceKey(request)}` : `${principal.scheme} ${principal.id}`;
  }

  #sourceKey(request: AccessRequest): string {
    const { flowId, sourceOf, clientOf } = this.#policy;
    const client = clientOf(request);
    let key = this.#sourceKeys.get(client);
    if (key === undefined) {
      if (this.#sourceKeys.size >= maxSourceKeys) this.#sourceKeys.clear();
      this.#sourceKeys.set(client, (key = `${flowId} ${sourceOf(client)}`));
    }
    return key;
  }

  #wrong(request: AccessRequest): AccessDenied {
    const wait = this.#policy.failedAttempts.take(this.#sourceKey(request));
    return wait > 0 ? this.#tooMany(request, wait) : this.#unauthorized(request);
  }

  #unavailable(request: AccessRequest): AccessDenied {
    return this.#deny(request, "identity-unavailable", "credentials cannot be checked at the moment", { "Retry-After": "5" });
  }

  #unauthorized(request: AccessRequest): AccessDenied {
    return this.#deny(request, "unauthorized", "unauthorized", { "WWW-Authenticate": this.#challenge });
  }

  #tooMany(request: AccessRequest, waitMs: number): AccessDenied {
    return this.#deny(request, "rate-limited", "rate limit exceeded", { "Retry-After": retryAfter(waitMs) });
  }

  #deny(request: AccessRequest, code: AccessDenied["code"], message: string, headers?: Readonly<Record<string, string>>): AccessDenied {
    const cors = this.#policy.cors?.onReply(request);
    return { kind: "denied", code, message, headers: cors === undefined ? headers : { ...cors, ...headers } };
  }
}
