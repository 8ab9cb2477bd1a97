// Evaluates the rules of a policy as the runtime does: the first matching rule, else the default.
import { ruleMatcher, type RuleScope } from "@sluice/model";
import type { Policy } from "./policy-edits.ts";

export interface SampleCall {
  readonly route: string;
  readonly method: string;
  readonly roles: readonly string[];
  readonly hasCredentials: boolean;
}

export interface AccessDecision {
  /** One-based; undefined if no rule matches. */
  readonly rule: number | undefined;
  readonly outcome: "public" | "allowed" | "unauthorized" | "forbidden";
}

interface Rule extends RuleScope {
  readonly roles?: readonly string[];
  readonly public?: boolean;
}

export function decideAccess(policy: Policy, { route, method, roles, hasCredentials }: SampleCall): AccessDecision {
  const rules = (Array.isArray(policy["rules"]) ? policy["rules"] : []) as readonly Rule[];
  const hasAuthentication = Array.isArray(policy["authenticate"]) && policy["authenticate"].length > 0;
  const index = rules.findIndex((rule) => ruleMatcher(rule)(route, method));
  const rule = rules[index];
  const number = rule === undefined ? undefined : index + 1;
  if (rule?.public === true) return { rule: number, outcome: "public" };
  if (hasAuthentication && !hasCredentials) return { rule: number, outcome: "unauthorized" };
  const isAllowed =
    rule === undefined
      ? (policy["default"] ?? (rules.length === 0 ? "allow" : "deny")) === "allow"
      : rule.roles === undefined || (hasAuthentication && rule.roles.some((role) => roles.includes(role)));
  return { rule: number, outcome: isAllowed ? "allowed" : "forbidden" };
}
