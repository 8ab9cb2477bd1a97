// The request bodies of test sessions, used to validate API calls, to generate the OpenAPI document, and to read flow-test files.
import { z } from "zod";

const namedValues = z.record(z.string(), z.unknown());

const respondShape = z.strictObject({
  status: z.int().min(100).max(599).optional(),
  headers: namedValues.optional(),
  body: z.unknown().optional(),
  bodyExpr: z.string().optional(),
  delayMs: z.int().min(0).max(3_600_000).optional(),
});

const throwShape = z.strictObject({
  type: z.string().min(1),
  message: z.string().optional(),
  statusCode: z.int().optional(),
  delayMs: z.int().min(0).max(3_600_000).optional(),
});

const outcomeShape = z
  .strictObject({ respond: respondShape.optional(), throw: throwShape.optional() })
  .refine((outcome) => (outcome.respond === undefined) !== (outcome.throw === undefined), {
    message: "must have either respond or throw",
  });

export const matchShape = z.strictObject({
  stepId: z.string().min(1).optional(),
  routeId: z.string().min(1).optional(),
  flowId: z.string().min(1).optional(),
  uri: z.string().min(1).optional(),
  kind: z.string().min(1).optional(),
});

export const mockShape = z
  .strictObject({
    id: z.string().min(1).max(128).optional(),
    match: matchShape.refine((match) => Object.values(match).some((value) => value !== undefined), {
      message: "must name a stepId, uri, kind, routeId or flowId",
    }),
    respond: respondShape.optional(),
    throw: throwShape.optional(),
    sequence: z.array(outcomeShape).min(1).max(1_000).optional(),
    then: z.enum(["last", "cycle", "fail", "passthrough"]).optional(),
    times: z.int().min(1).optional(),
  })
  .refine((mock) => [mock.respond, mock.throw, mock.sequence].filter((outcome) => outcome !== undefined).length === 1, {
    message: "must have exactly one of respond, throw and sequence",
  });

const withShape = z.strictObject({
  body: z.unknown().optional(),
  bodyEquals: z.unknown().optional(),
  headers: namedValues.optional(),
  matches: z.string().optional(),
  jsonpath: namedValues.optional(),
});

const calledShape = z.strictObject({
  mock: z.string(),
  times: z.int().min(0).optional(),
  atLeast: z.int().min(0).optional(),
  atMost: z.int().min(0).optional(),
  never: z.boolean().optional(),
  call: z.union([z.int().min(1), z.enum(["first", "last", "any", "all"])]).optional(),
  with: withShape.optional(),
});

export const assertionShape = z.union([z.strictObject({ mockCalled: z.union([z.string(), calledShape]) }), z.strictObject({ mockOrder: z.array(z.string()) })]);

export const openShape = z.object({
  name: z.string().max(200).optional(),
  ttlMs: z.number().optional(),
  scope: z.enum(["deployment", "session"]).optional(),
  unmatched: z.enum(["passthrough", "fail"]).optional(),
  time: z.enum(["real", "skip"]).optional(),
  mocks: z.array(mockShape).max(1_000).optional(),
  assertions: z.array(assertionShape).max(1_000).optional(),
});

export const invokeShape = z.object({
  sessionId: z.string(),
  trigger: z.string().optional(),
  routeId: z.string().optional(),
  body: z.unknown().optional(),
  bodyBase64: z.string().optional(),
  headers: namedValues.optional(),
  properties: namedValues.optional(),
  variables: namedValues.optional(),
  pattern: z.enum(["InOut", "InOnly"]).optional(),
  timeoutMs: z.int().min(1).max(600_000).optional(),
});

export type MockBody = z.infer<typeof mockShape>;
export type RespondBody = z.infer<typeof respondShape>;
export type ThrowBody = z.infer<typeof throwShape>;
export type CalledBody = z.infer<typeof calledShape>;
export type AssertionBody = z.infer<typeof assertionShape>;
export type OpenBody = z.infer<typeof openShape>;
export type InvokeBody = z.infer<typeof invokeShape>;
