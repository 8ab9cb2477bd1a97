import { ruleMatcher } from "@sluice/model";
import type { Policy, Principal, Rule } from "./policy-document.ts";
import { defaultOf } from "./policy-document.ts";

/** The requirements of a policy for one route and method. */
export interface Demand {
  /** No credential is required or checked. */
  readonly isPublic: boolean;
  /** Any of these is sufficient; undefined when no role is required. */
  readonly roles: readonly string[] | undefined;
  admits(principal: Principal | undefined): boolean;
}

const maxRemembered = 1_000;

/** Finds the requirements: the first rule that matches route and method, else the default. */
export function accessRules(policy: Policy): (routeId: string, method: string) => Demand {
  const rules = (policy.rules ?? []).map((rule) => ({ matches: ruleMatcher(rule), demand: demandOf(rule) }));
  const otherwise: Demand = { isPublic: false, roles: undefined, admits: defaultOf(policy) === "allow" ? () => true : () => false };
  const remembered = new Map<string, Map<string, Demand>>();
  // Most calls repeat the previous route and method.
  let last: { readonly routeId: string; readonly method: string; readonly demand: Demand } | undefined;
  return (routeId, method) => {
    if (last?.routeId === routeId && last.method === method) return last.demand;
    let byMethod = remembered.get(routeId);
    if (byMethod === undefined) {
      if (remembered.size >= maxRemembered) remembered.clear();
      remembered.set(routeId, (byMethod = new Map()));
    }
    let demand = byMethod.get(method);
    if (demand === undefined) {
      demand = rules.find(({ matches }) => matches(routeId, method))?.demand ?? otherwise;
      if (byMethod.size < maxRemembered) byMethod.set(method, demand);
    }
    last = { routeId, method, demand };
    return demand;
  };
}

function demandOf({ roles, public: isPublic = false }: Rule): Demand {
  if (isPublic) return { isPublic, roles, admits: () => true };
  return { isPublic, roles, admits: roles === undefined ? () => true : hasOneOf(roles) };
}

/** Principals are immutable, so the result for the last one is cached. */
function hasOneOf(roles: readonly string[]): (principal: Principal | undefined) => boolean {
  let last: Principal | undefined;
  let has = false;
  return (principal) => {
    if (principal !== last) {
      has = principal?.roles.some((role) => roles.includes(role)) === true;
      last = principal;
    }
    return has;
  };
}
