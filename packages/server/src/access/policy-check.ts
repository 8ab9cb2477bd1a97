// Checks requests against a policy. The order is part of the contract: address 403, credential 401, rule 403, rate 429; all before the
// body is read, except for signed bodies.
import type { Awaitable } from "@sluice/engine/spi";
import type { AccessCheck, AccessGranted, AccessNeedsBody, AccessRefused, AccessRequest } from "../http/access.ts";
import type { Demand } from "./access-rules.ts";
import type { CorsRules } from "./cors-headers.ts";
import type { Principal, RateLimit } from "./policy-document.ts";
import type { BodyProof, CredentialScheme, Verdict } from "./schemes/credential-scheme.ts";
import { retryAfter, type TokenBuckets } from "./token-buckets.ts";

/** A compiled policy. */
export interface PolicyInForce {
  readonly flowId: string;
  readonly schemes: readonly CredentialScheme[];
  demandOf(routeId: string, method: string): Demand;
  /** Undefined when all addresses are allowed. */
  readonly admitsAddress: ((address: string) => boolean) | undefined;
  readonly rate: { readonly by: RateLimit["by"]; readonly buckets: TokenBuckets } | undefined;
  readonly cors: CorsRules | undefined;
  clientOf(request: AccessRequest): string;
  /** Maps an address to the unit that is rate limited. */
  sourceOf(address: string): string;
  readonly guesses: TokenBuckets;
}

const maxSourceKeys = 1_000;

export class PolicyCheck implements AccessCheck {
  readonly #policy: PolicyInForce;
  readonly #challenge: string;
  readonly #hide: readonly string[];
  readonly #hideQuery: readonly string[] | undefined;
  /** Cache by address. */
  readonly #sourceKeys = new Map<string, string>();

  #lastGranted: AccessGranted;

  constructor(policy: PolicyInForce) {
    this.#policy = policy;
    this.#challenge = policy.schemes.map(({ challenge }) => challenge).join(", ");
    this.#hide = [...new Set(["authorization", ...policy.schemes.flatMap(({ headers }) => headers)])];
    const queryNames = policy.schemes.flatMap((scheme) => scheme.queryNames);
    this.#hideQuery = queryNames.length === 0 ? undefined : queryNames;
    this.#lastGranted = this.#grantedTo(undefined, undefined);
  }

  check(request: AccessRequest): Awaitable<AccessGranted | AccessRefused | AccessNeedsBody> {
    const { admitsAddress, clientOf, schemes } = this.#policy;
    if (admitsAddress !== undefined && !admitsAddress(clientOf(request))) return this.#refuse(request, 403, "forbidden");
    const demand = this.#policy.demandOf(request.routeId, request.method);
    if (demand.isPublic || schemes.length === 0) return this.#admit(request, demand, undefined);
    for (const scheme of schemes) {
      const credential = scheme.read(request);
      if (credential !== undefined) return this.#verify(request, demand, scheme, credential);
    }
    return this.#unauthorized(request);
  }

  preflight(request: AccessRequest): Readonly<Record<string, string>> | undefined {
    return this.#policy.cors?.onPreflight(request);
  }

  #verify(request: AccessRequest, demand: Demand, scheme: CredentialScheme, credential: string): Awaitable<AccessGranted | AccessRefused | AccessNeedsBody> {
    // Computed only when needed: it would slow down every call.
    const source = scheme.guessable ? this.#sourceKey(request) : "";
    if (scheme.guessable && this.#policy.guesses.size > 0) {
      const wait = this.#policy.guesses.wait(source);
      if (wait > 0) return this.#tooMany(request, wait);
    }
    const verdict = scheme.verify(credential, request, source);
    return verdict instanceof Promise ? verdict.then((later) => this.#decide(request, demand, later)) : this.#decide(request, demand, verdict);
  }

  #decide(request: AccessRequest, demand: Demand, verdict: Verdict | BodyProof): AccessGranted | AccessRefused | AccessNeedsBody {
    if (verdict === "wrong") return this.#wrong(request);
    if (verdict === "slowed") return this.#tooMany(request, this.#policy.guesses.wait(this.#sourceKey(request)));
    if (verdict === "unavailable") return this.#refuse(request, 503, "credentials cannot be checked at the moment", { "Retry-After": "5" });
    if (!("proof" in verdict)) return this.#admit(request, demand, verdict);
    return {
      kind: "needs-body",
      replyHeaders: this.#policy.cors?.onReply(request),
      check: (body) => {
        const proven = verdict.proof(body);
        return proven === "wrong" ? this.#wrong(request) : this.#admit(request, demand, proven);
      },
    };
  }

  #admit(request: AccessRequest, demand: Demand, principal: Principal | undefined): AccessGranted | AccessRefused {
    if (!demand.admits(principal)) return this.#refuse(request, 403, "forbidden");
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

  /** Each principal has its own limit, and so has each source without a principal. */
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

  #wrong(request: AccessRequest): AccessRefused {
    const wait = this.#policy.guesses.take(this.#sourceKey(request));
    return wait > 0 ? this.#tooMany(request, wait) : this.#unauthorized(request);
  }

  #unauthorized(request: AccessRequest): AccessRefused {
    return this.#refuse(request, 401, "unauthorized", { "WWW-Authenticate": this.#challenge });
  }

  #tooMany(request: AccessRequest, waitMs: number): AccessRefused {
    return this.#refuse(request, 429, "rate limit exceeded", { "Retry-After": retryAfter(waitMs) });
  }

  #refuse(request: AccessRequest, status: number, error: string, headers?: Readonly<Record<string, string>>): AccessRefused {
    const cors = this.#policy.cors?.onReply(request);
    return { kind: "refused", status, error, headers: cors === undefined ? headers : { ...cors, ...headers } };
  }
}
