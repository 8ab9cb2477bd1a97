// The request bodies of test sessions, used to validate API calls, to generate the OpenAPI document, and to read flow-test files.
import { z } from "zod";

const namedValues = z.record(z.string(), z.unknown());

const delayMs = z.int().min(0).max(3_600_000).optional().describe("Delay in milliseconds.");

const respondShape = z.strictObject({
  status: z.int().min(100).max(599).optional().describe("HTTP status of the reply."),
  headers: namedValues.optional().describe("Headers of the reply."),
  body: z.unknown().optional().describe("Body of the reply."),
  bodyExpr: z.string().optional().describe("Simple expression whose result is the body."),
  delayMs,
});

const throwShape = z.strictObject({
  type: z.string().min(1).describe("Type of the error."),
  message: z.string().optional().describe("Message of the error."),
  statusCode: z.int().optional().describe("HTTP status of the error."),
  delayMs,
});

/** For the JSON Schema, which cannot be derived from a refinement. */
const exactlyOne = (...names: readonly string[]) => ({ oneOf: names.map((name) => ({ required: [name] })) });

const outcomeShape = z
  .strictObject({ respond: respondShape.optional().describe("Reply."), throw: throwShape.optional().describe("Error.") })
  .refine((outcome) => (outcome.respond === undefined) !== (outcome.throw === undefined), {
    message: "must have either respond or throw",
  })
  .meta(exactlyOne("respond", "throw"));

export const matchShape = z.strictObject({
  stepId: z.string().min(1).optional().describe("Id of the step; `*` matches any text in this and the others."),
  routeId: z.string().min(1).optional().describe("Id of the route."),
  flowId: z.string().min(1).optional().describe("Id of the flow."),
  uri: z.string().min(1).optional().describe("URI of the endpoint, with or without its options."),
  kind: z.string().min(1).optional().describe("Kind of step, such as `to`."),
});

export const mockShape = z
  .strictObject({
    id: z.string().min(1).max(128).optional().describe("Name of the mock, for assertions."),
    match: matchShape
      .refine((match) => Object.values(match).some((value) => value !== undefined), {
        message: "must name a stepId, uri, kind, routeId or flowId",
      })
      .meta({ description: "The calls that the mock replaces: those with all of these.", minProperties: 1 }),
    respond: respondShape.optional().describe("Reply."),
    throw: throwShape.optional().describe("Error."),
    sequence: z.array(outcomeShape).min(1).max(1_000).optional().describe("One reply or error for each call, in order."),
    then: z
      .enum(["last", "cycle", "fail", "passthrough"])
      .optional()
      .describe("What happens after the sequence: its last outcome, the first again, an error, or the real call; by default `last`."),
    times: z.int().min(1).optional().describe("Number of calls that the mock replaces; by default all."),
  })
  .refine((mock) => [mock.respond, mock.throw, mock.sequence].filter((outcome) => outcome !== undefined).length === 1, {
    message: "must have exactly one of respond, throw and sequence",
  })
  .meta(exactlyOne("respond", "throw", "sequence"));

const withShape = z.strictObject({
  body: z.unknown().optional().describe("Body, or members that the body must have; lists must have the same length."),
  bodyEquals: z.unknown().optional().describe("Body, which must be equal."),
  headers: namedValues.optional().describe("Headers that the call must have."),
  matches: z.string().optional().describe("Regular expression that the text of the body must match."),
  jsonpath: namedValues.optional().describe("Expected values by JSONPath expression."),
});

const calledShape = z.strictObject({
  mock: z.string().describe("Id of the mock."),
  times: z.int().min(0).optional().describe("Number of calls."),
  atLeast: z.int().min(0).optional().describe("Minimum number of calls."),
  atMost: z.int().min(0).optional().describe("Maximum number of calls."),
  never: z.boolean().optional().describe("Whether there must be no call."),
  call: z
    .union([z.int().min(1), z.enum(["first", "last", "any", "all"])])
    .optional()
    .describe("The call that `with` refers to, from 1."),
  with: withShape.optional().describe("What the call must contain."),
});

export const assertionShape = z.union([
  z.strictObject({ mockCalled: z.union([z.string(), calledShape]).describe("A mock that was called: its id, or more about the calls.") }),
  z.strictObject({ mockOrder: z.array(z.string()).describe("Ids of mocks in the order of their calls.") }),
]);

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
