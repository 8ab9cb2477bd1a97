// Access policies of flows: install, read, list, remove.
import { z } from "zod";
import { defaultOf } from "../access/policy-document.ts";
import type { Policies } from "../access/policies.ts";
import type { BrokenPolicy, StoredPolicy } from "../access/policy-store.ts";
import { maskPolicy } from "../access/mask-policy.ts";
import { isFlowId } from "../flows/flow-id.ts";
import { invalidId } from "../service-error.ts";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";
import { ifMatchOf } from "./if-match.ts";
import { policyShape } from "./policy-shape.ts";

const putShape = shape(
  () => ({ flowId: z.string(), created: z.boolean(), hash: z.string(), lastModified: z.string(), warnings: z.array(z.string()) }),
  "InstalledPolicy",
);
const summaryShape = shape(
  () => ({
    flowId: z.string(),
    lastModified: z.string().nullable(),
    hash: z.string().nullable(),
    schemes: z.array(z.string()),
    ruleCount: z.int(),
    default: z.enum(["deny", "allow"]).nullable(),
    error: z.string().nullable(),
  }),
  "PolicySummary",
);

export function accessEndpoints(policies: Policies): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "GET",
      path: "/auth",
      tag: "access",
      summary: "Lists the access policies",
      replies: { 200: { description: "All policies, by flow.", schema: shape(() => ({ policies: z.array(summaryShape()), total: z.int() })) } },
      handle() {
        const list = policies.list();
        return ok({ policies: list.map(([flowId, stored]) => summary(flowId, stored)), total: list.length });
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/auth/:flowId",
      tag: "access",
      summary: "Returns the access policy of a flow with masked secrets",
      replies: { 200: { description: "The policy.", schema: policyShape } },
      handle({ params }) {
        const flowId = flowIdOf(params);
        const { policy, lastModified, hash } = policies.read(flowId);
        return ok({ flowId, lastModified, ...maskPolicy(policy) }, { ETag: `"${hash}"` });
      },
    }),
    defineEndpoint({
      method: "PUT",
      path: "/auth/:flowId",
      tag: "access",
      summary: "Creates or replaces the access policy of a flow; a secret sent as `***` keeps its stored value",
      // Validated by the access module, which reports each problem with its path as 422.
      body: z.looseObject({}),
      conditional: true,
      replies: { 201: { description: "Created.", schema: putShape }, 200: { description: "Replaced or unchanged.", schema: putShape } },
      async handle({ params, body, headers }) {
        const flowId = flowIdOf(params);
        const { created, stored, warnings } = await policies.install(flowId, body, ifMatchOf(headers["if-match"]));
        const { hash, lastModified } = stored;
        return { status: created ? 201 : 200, json: { flowId, created, hash, lastModified, warnings }, headers: { ETag: `"${hash}"` } };
      },
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/auth/:flowId",
      tag: "access",
      summary: "Removes the access policy of a flow",
      conditional: true,
      replies: { 200: { description: "Removed.", schema: shape(() => ({ flowId: z.string(), deleted: z.boolean() })) } },
      async handle({ params, headers }) {
        const flowId = flowIdOf(params);
        await policies.remove(flowId, ifMatchOf(headers["if-match"]));
        return ok({ flowId, deleted: true });
      },
    }),
  ];
}

function summary(flowId: string, stored: StoredPolicy | BrokenPolicy): Readonly<Record<string, unknown>> {
  if ("problem" in stored) return { flowId, lastModified: null, hash: null, schemes: [], ruleCount: 0, default: null, error: stored.problem };
  const { policy, lastModified, hash } = stored;
  return {
    flowId,
    lastModified,
    hash,
    schemes: (policy.authenticate ?? []).map(({ type }) => type),
    ruleCount: policy.rules?.length ?? 0,
    default: defaultOf(policy),
    error: null,
  };
}

function flowIdOf({ flowId = "" }: Readonly<Record<string, string>>): string {
  if (!isFlowId(flowId)) throw invalidId(flowId);
  return flowId;
}
