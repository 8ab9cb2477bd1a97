// The schema of flow-test files. Unknown members are rejected by name, with a suggestion.
import { assertionShape, closest, mockShape } from "@sluice/model";
import { z } from "zod";

const values = z.record(z.string(), z.unknown());
const message = {
  headers: values.optional().describe("Headers of the message."),
  body: z.unknown().optional().describe("Body of the message."),
};
const preset = {
  properties: values.optional().describe("Exchange properties that are set before the route starts."),
  variables: values.optional().describe("Variables that are set before the route starts."),
};

/** An object with exactly these members. */
function strict<T extends z.ZodRawShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  return z.strictObject(shape, { error: (issue) => (issue.code === "unrecognized_keys" ? unknownProperties(issue.keys, Object.keys(shape)) : undefined) });
}

/** Zod has one message for all unknown properties of an object; `plainIssues` splits it. */
const messageSeparator = "\0";
const maxUnknownProperties = 20;

const unknownProperties = (names: readonly string[], allowed: readonly string[]): string =>
  names
    .slice(0, maxUnknownProperties)
    .map((name) => unknownProperty(name, allowed))
    .join(messageSeparator);

function unknownProperty(name: string, allowed: readonly string[]): string {
  const suggestion = closest(name, allowed);
  return `unknown property '${name}' (${suggestion === undefined ? `allowed: ${allowed.join(", ")}` : `did you mean '${suggestion}'?`})`;
}

/** A shape chosen by which of several keys an object has. */
function byKey<const S extends Readonly<Record<string, z.ZodType>>>(noun: string, shapes: S): z.ZodType<z.output<S[keyof S]>> {
  const allowed = Object.keys(shapes);
  return z.unknown().transform((value, context) => {
    const keys = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
    const chosenKey = keys.find((name) => allowed.includes(name));
    if (chosenKey === undefined) {
      const unknownKey = keys[0];
      const suggestion = unknownKey === undefined ? undefined : closest(unknownKey, allowed);
      const text = unknownKey === undefined ? `${noun} must be one of ${allowed.join(", ")}` : `unknown ${noun} '${unknownKey}'`;
      const hint = unknownKey === undefined ? "" : suggestion === undefined ? ` (allowed: ${allowed.join(", ")})` : ` (did you mean '${suggestion}'?)`;
      context.addIssue({ code: "custom", message: text + hint, path: unknownKey === undefined ? [] : [unknownKey] });
      return z.NEVER;
    }
    const result = (shapes[chosenKey] as z.ZodType).safeParse(value);
    if (result.success) return result.data as z.output<S[keyof S]>;
    for (const issue of plainIssues(result.error)) context.addIssue({ code: "custom", ...issue });
    return z.NEVER;
  });
}

export interface PlainIssue {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** Flattens the issues: for a union the intended branch, for unknown properties one issue each. */
export function plainIssues({ issues }: { readonly issues: readonly z.core.$ZodIssue[] }): readonly PlainIssue[] {
  return issues.flatMap((issue) => {
    if (issue.code === "invalid_union") {
      const intended = issue.errors.find((branch) => branch.some(({ code, path }) => code !== "invalid_type" || path.length > 0)) ?? [];
      if (intended.length > 0) return plainIssues({ issues: intended }).map(({ path, message }) => ({ path: [...issue.path, ...path], message }));
    }
    if (issue.code !== "unrecognized_keys") return [{ path: [...issue.path], message: issue.message }];
    const messages = issue.message.startsWith("Unrecognized") ? [] : issue.message.split(messageSeparator);
    return issue.keys
      .slice(0, maxUnknownProperties)
      .map((name, index) => ({ path: [...issue.path, name], message: messages[index] ?? `unknown property '${name}'` }));
  });
}

export const generateShape = strict({
  schema: z.union([z.string().min(1), values]).describe("JSON Schema of the bodies: a file next to the tests, or the schema itself."),
  runs: z.int().min(1).max(10_000).default(100).describe("Number of bodies."),
  seed: z.int().optional().describe("Seed that a failure reports; with it, the same bodies are generated again."),
});
const generate = generateShape.optional().describe("Generates bodies from a JSON Schema and reports the smallest that fails.");

export const triggers = {
  webhook: strict({
    webhook: z.string().min(1).describe("Name of the webhook, which is called at `/api/<name>`."),
    method: z.string().default("POST").describe("HTTP method."),
    path: z.string().optional().describe("Path to call instead of `/api/<name>`."),
    query: z.string().optional().describe("Query string."),
    generate,
    ...message,
  }),
  direct: strict({ direct: z.string().min(1).describe("Name of the `direct` endpoint."), generate, ...preset, ...message }),
  route: strict({ route: z.string().min(1).describe("Id of the route."), generate, ...preset, ...message }),
};
const whenShape = byKey("trigger", triggers);

const bodyRules = {
  body: z.unknown().optional().describe("Body, or members that the body must have; lists must have the same length."),
  bodyEquals: z.unknown().optional().describe("Body, which must be equal."),
  matches: z
    .string()
    .refine(isPattern, { message: "must be a regular expression" })
    .optional()
    .describe("Regular expression that the text of the body must match."),
  headers: values.optional().describe("Headers that the reply must have."),
};
const names = z.array(z.string()).min(1);

function isPattern(text: string): boolean {
  try {
    return new RegExp(text.replace(/^\/(.*)\/$/s, "$1")).source !== "";
  } catch {
    return false;
  }
}

export const assertions = {
  status: strict({ status: z.enum(["completed", "failed", "discarded", "cancelled", "running"]).describe("Status of the run.") }),
  reply: strict({
    reply: strict({ status: z.int().optional().describe("HTTP status, for webhooks."), ...bodyRules }).describe("The reply of the last call."),
  }),
  error: strict({
    error: strict({
      type: z.string().optional().describe("Type of the error; its last part is sufficient."),
      contains: z.string().optional().describe("Text that the message contains."),
      stepId: z.string().optional().describe("Id of the step that failed."),
    }).describe("The failure of the last call."),
  }),
  mockCalled: assertionShape.options[0],
  mockOrder: assertionShape.options[1],
  visited: strict({ visited: names.describe("Ids of steps that were executed.") }),
  notVisited: strict({ notVisited: names.describe("Ids of steps that were not executed.") }),
  logged: strict({
    logged: strict({
      level: z.string().optional().describe("Level of the line; by default any."),
      contains: z.string().describe("Text that the line contains."),
    }).describe("A line of the log."),
  }),
};
const thenShape = byKey("assertion", assertions);

const unmatched = z.enum(["passthrough", "fail"]).default("fail").describe("What happens to calls of other systems without a mock.");
const time = z.enum(["real", "skip"]);
const timeDoc = "Whether delays take real time or are skipped.";
const timeoutMs = z.int().min(1);
const timeoutDoc = "Time limit of a call in milliseconds.";

export const defaultsShape = strict({
  unmatched,
  time: time.default("skip").describe(timeDoc),
  timeoutMs: timeoutMs.default(5_000).describe(timeoutDoc),
});

const oneOrMoreCalls = z
  .unknown()
  .transform((value, context) => {
    const list = Array.isArray(value) ? value : [value];
    if (list.length === 0) context.addIssue({ code: "custom", message: "must contain at least one call" });
    const calls: readonly When[] = list.map((item, index) => {
      const result = whenShape.safeParse(item);
      if (result.success) return result.data;
      for (const { message, path } of plainIssues(result.error))
        context.addIssue({ code: "custom", message, path: Array.isArray(value) ? [index, ...path] : path });
      return z.NEVER;
    });
    return calls;
  })
  .describe("One call, or several in order; assertions about status and reply refer to the last.");

/** Rows are expanded before the file is checked; anything left here is not a list of rows. */
const rows = z
  .never({ error: "must be a list of rows, each an object" })
  .optional()
  .describe("Rows: the test runs once for each, with `${row.name}` replaced by the values.");

export const testShape = strict({
  name: z.string().min(1).describe("Name of the test."),
  mocks: z.array(mockShape).default([]).describe("Mocks of calls to other systems; the most specific one that matches is used."),
  when: oneOrMoreCalls,
  then: z.array(thenShape).min(1).describe("Assertions."),
  each: rows,
  time: time.optional().describe(`${timeDoc} By default as in \`defaults\`.`),
  timeoutMs: timeoutMs.optional().describe(`${timeoutDoc} By default as in \`defaults\`.`),
});

/** The parts of a test file whose shape zod cannot convert, because code reads them. */
export const readByCode = { calls: oneOrMoreCalls, assertion: thenShape, rows } as const;

const documents = (kind: string): z.ZodType<Readonly<Record<string, string | Readonly<Record<string, unknown>>>> | undefined> =>
  z
    .record(z.string(), z.union([z.string().min(1), values]))
    .optional()
    .describe(`${kind} that the flow needs, by id: a file next to the tests, or the document itself.`);

export const fileShape = strict({
  flow: z.string().min(1).optional().describe("File of the flow, next to the tests."),
  flowId: z.string().min(1).optional().describe("Id of a deployed flow; a file has either `flow` or `flowId`."),
  params: values.optional().describe("Parameters of the flow."),
  valueMappings: documents("Value mappings"),
  messageMappings: documents("Message mappings"),
  defaults: defaultsShape.prefault({}).describe("Settings of every test."),
  tests: z.array(testShape).min(1).describe("The tests."),
})
  .refine((file) => (file.flow === undefined) !== (file.flowId === undefined), {
    message: "the test file needs either 'flow' (a file name) or 'flowId' (the id of a deployed flow)",
  })
  .meta({ oneOf: [{ required: ["flow"] }, { required: ["flowId"] }] });

/** A test and its line. */
export type FlowTest = z.infer<typeof testShape> & { readonly line: number };
export type FlowTestFile = Omit<z.infer<typeof fileShape>, "tests"> & { readonly tests: readonly FlowTest[] };
export type When = z.output<typeof whenShape>;
export type Then = z.output<typeof thenShape>;
