import { ruleMatcher } from "@sluice/model";
import type { Policy, Principal, Rule } from "./policy-document.ts";
import { defaultOf } from "./policy-document.ts";

/** The requirements of a policy for one route and method. */
export interface AccessRequirement {
  /** No credential is required or checked. */
  readonly isPublic: boolean;
  /** One of these roles is sufficient; undefined when no role is required. */
  readonly roles: readonly string[] | undefined;
  admits(principal: Principal | undefined): boolean;
}

const maxCached = 1_000;

/** Finds the requirements: the first rule that matches route and method, else the default. */
export function accessRules(policy: Policy): (routeId: string, method: string) => AccessRequirement {
  const rules = (policy.rules ?? []).map((rule) => ({ matches: ruleMatcher(rule), requirement: requirementOf(rule) }));
  const defaultRequirement: AccessRequirement = { isPublic: false, roles: undefined, admits: defaultOf(policy) === "allow" ? () => true : () => false };
  const cache = new Map<string, Map<string, AccessRequirement>>();
  // Most calls repeat the previous route and method.
  let last: { readonly routeId: string; readonly method: string; readonly requirement: AccessRequirement } | undefined;
  return (routeId, method) => {
    if (last?.routeId === routeId && last.method === method) return last.requirement;
    let byMethod = cache.get(routeId);
    if (byMethod === undefined) {
      if (cache.size >= maxCached) cache.clear();
      cache.set(routeId, (byMethod = new Map()));
    }
    let requirement = byMethod.get(method);
    if (requirement === undefined) {
      requirement = rules.find(({ matches }) => matches(routeId, method))?.requirement ?? defaultRequirement;
      if (byMethod.size < maxCached) byMethod.set(method, requirement);
    }
    last = { routeId, method, requirement };
    return requirement;
  };
}

function requirementOf({ roles, public: isPublic = false }: Rule): AccessRequirement {
  if (isPublic) return { isPublic, roles, admits: () => true };
  return { isPublic, roles, admits: roles === undefined ? () => true : hasOneOf(roles) };
}

/** Principals are immutable, so the result for the last one is cached. */
function hasOneOf(roles: readonly string[]): (principal: Principal | undefined) => boolean {
  let last: Principal | undefined;
  let hasRole = false;
  return (principal) => {
    if (principal !== last) {
      hasRole = principal?.roles.some((role) => roles.includes(role)) === true;
      last = principal;
    }
    return hasRole;
  };
}
