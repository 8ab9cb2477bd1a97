// Access policies of flows: install, read, list, remove.
import { z } from "zod";
import { defaultOf } from "../access/policy-document.ts";
import type { Policies } from "../access/policies.ts";
import type { BrokenPolicy, StoredPolicy } from "../access/policy-store.ts";
import { maskPolicy } from "../access/mask-policy.ts";
import { isFlowId } from "../flows/flow-id.ts";
import { invalidId } from "../service-error.ts";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";
import { requests } from "./examples.ts";
import { changeErrors } from "./error-responses.ts";
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
      description: "With the number of rules and the schemes of each policy. A policy that cannot be read is listed with its error; its webhooks are closed.",
      errors: [],
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
      summary: "Returns the access policy of a flow",
      description: "Literal secrets are shown as `***` with a fingerprint.",
      tagged: true,
      errors: ["id-invalid", "not-found", "storage-refused"],
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
      summary: "Creates or replaces the access policy of a flow",
      description: "Takes effect with the next request. The flow need not be installed yet. A secret sent as `***` keeps its stored value.",
      // Validated by the access module, which reports each problem with its path as 422.
      body: z.looseObject({}),
      conditional: "replace it",
      tagged: true,
      example: requests.policy,
      errors: ["id-invalid", "conflict", "document-invalid", ...changeErrors],
      replies: { 201: { description: "Created.", schema: putShape }, 200: { description: "Replaced or unchanged.", schema: putShape } },
      async handle({ params, body, precondition }) {
        const flowId = flowIdOf(params);
        const { created, stored, warnings } = await policies.install(flowId, body, precondition);
        const { hash, lastModified } = stored;
        return { status: created ? 201 : 200, json: { flowId, created, hash, lastModified, warnings }, headers: { ETag: `"${hash}"` } };
      },
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/auth/:flowId",
      tag: "access",
      summary: "Removes the access policy of a flow",
      description: "Without a policy, the webhooks of the flow are open, unless the runtime was started with `SERVICE_WEBHOOK_DEFAULT=deny`.",
      conditional: "delete it",
      errors: ["id-invalid", "not-found", ...changeErrors],
      replies: { 200: { description: "Removed.", schema: shape(() => ({ flowId: z.string(), deleted: z.boolean() })) } },
      async handle({ params, precondition }) {
        const flowId = flowIdOf(params);
        await policies.remove(flowId, precondition);
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
