// The schema of flow-test files. Unknown members are rejected by name, with a suggestion.
import { assertionShape, closest, mockShape } from "@sluice/model";
import { z } from "zod";

const values = z.record(z.string(), z.unknown());
const message = { headers: values.optional(), body: z.unknown().optional() };
const preset = { properties: values.optional(), variables: values.optional() };

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

const generateShape = strict({
  /** A JSON Schema: a file next to the tests, or the schema itself. */
  schema: z.union([z.string().min(1), values]),
  runs: z.int().min(1).max(10_000).default(100),
  seed: z.int().optional(),
});

const whenShape = byKey("trigger", {
  webhook: strict({
    webhook: z.string().min(1),
    method: z.string().default("POST"),
    path: z.string().optional(),
    query: z.string().optional(),
    generate: generateShape.optional(),
    ...message,
  }),
  direct: strict({ direct: z.string().min(1), generate: generateShape.optional(), ...preset, ...message }),
  route: strict({ route: z.string().min(1), generate: generateShape.optional(), ...preset, ...message }),
});

const bodyRules = {
  body: z.unknown().optional(),
  bodyEquals: z.unknown().optional(),
  matches: z.string().refine(isPattern, { message: "must be a regular expression" }).optional(),
  headers: values.optional(),
};
const names = z.array(z.string()).min(1);

function isPattern(text: string): boolean {
  try {
    return new RegExp(text.replace(/^\/(.*)\/$/s, "$1")).source !== "";
  } catch {
    return false;
  }
}

const thenShape = byKey("assertion", {
  status: strict({ status: z.enum(["completed", "failed", "discarded", "cancelled", "running"]) }),
  reply: strict({ reply: strict({ status: z.int().optional(), ...bodyRules }) }),
  error: strict({ error: strict({ type: z.string().optional(), contains: z.string().optional(), stepId: z.string().optional() }) }),
  mockCalled: assertionShape.options[0],
  mockOrder: assertionShape.options[1],
  visited: strict({ visited: names }),
  notVisited: strict({ notVisited: names }),
  logged: strict({ logged: strict({ level: z.string().optional(), contains: z.string() }) }),
});

const defaultsShape = strict({
  unmatched: z.enum(["passthrough", "fail"]).default("fail"),
  time: z.enum(["real", "skip"]).default("skip"),
  timeoutMs: z.int().min(1).default(5_000),
});

const testShape = strict({
  name: z.string().min(1),
  mocks: z.array(mockShape).default([]),
  /** One call, or several in order; assertions about status and reply refer to the last. */
  when: z.unknown().transform((value, context) => {
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
  }),
  then: z.array(thenShape).min(1),
  /** Rows are expanded before the file is checked; anything left here is not a list of rows. */
  each: z.never({ error: "must be a list of rows, each an object" }).optional(),
  time: z.enum(["real", "skip"]).optional(),
  timeoutMs: z.int().min(1).optional(),
});

/** Documents the flow needs, by id: a file next to the tests, or the document itself. */
const documents = z.record(z.string(), z.union([z.string().min(1), values])).optional();

export const fileShape = strict({
  flow: z.string().min(1).optional(),
  flowId: z.string().min(1).optional(),
  params: values.optional(),
  valueMappings: documents,
  messageMappings: documents,
  defaults: defaultsShape.prefault({}),
  tests: z.array(testShape).min(1),
}).refine((file) => (file.flow === undefined) !== (file.flowId === undefined), {
  message: "the test file needs either 'flow' (a file name) or 'flowId' (the id of a deployed flow)",
});

/** A test and its line. */
export type FlowTest = z.infer<typeof testShape> & { readonly line: number };
export type FlowTestFile = Omit<z.infer<typeof fileShape>, "tests"> & { readonly tests: readonly FlowTest[] };
export type When = z.output<typeof whenShape>;
export type Then = z.output<typeof thenShape>;
