// Access policies of a runtime's flows.
import { callJson } from "./call.ts";
import { ifMatch } from "./mapping-client.ts";
import { targetHeaders } from "./runtime-client.ts";

export interface PolicySummary {
  readonly flowId: string;
  readonly lastModified: string | null;
  readonly hash: string | null;
  readonly schemes: readonly string[];
  readonly ruleCount: number;
  readonly default: "deny" | "allow" | null;
  readonly error: string | null;
}

/** A policy as it is shown: its secrets as `***`. */
export type PolicyDocument = Readonly<Record<string, unknown>>;

const at = (flowId: string): string => `/_api/auth/${encodeURIComponent(flowId)}`;

export const accessClient = {
  policies: (target?: string) =>
    callJson<{ policies: readonly PolicySummary[] }>("GET", "/_api/auth", { headers: targetHeaders(target) }).then(({ policies }) => policies),
  policy: (flowId: string, target?: string) => callJson<PolicyDocument>("GET", at(flowId), { headers: targetHeaders(target) }),
  install: (flowId: string, policy: PolicyDocument, hash: string | undefined, target?: string) =>
    callJson<{ created: boolean; hash: string; warnings: readonly string[] }>("PUT", at(flowId), {
      body: policy,
      headers: { ...targetHeaders(target), ...ifMatch(hash) },
    }),
  remove: (flowId: string, target?: string) => callJson<unknown>("DELETE", at(flowId), { headers: targetHeaders(target) }),
};
