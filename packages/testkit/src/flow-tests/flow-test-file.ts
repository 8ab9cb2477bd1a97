// A file of flow tests: what it may hold, read and checked. Running it is run-flow-tests.ts.
import { parse } from "yaml";
import { z } from "zod";

const values = z.record(z.string(), z.unknown());
const message = { headers: values.optional(), body: z.unknown().optional() };

const whenShape = z.union([
  z.strictObject({ webhook: z.string(), method: z.string().default("POST"), path: z.string().optional(), query: z.string().optional(), ...message }),
  z.strictObject({ direct: z.string(), properties: values.optional(), variables: values.optional(), ...message }),
  z.strictObject({ route: z.string(), properties: values.optional(), variables: values.optional(), ...message }),
]);

const bodyRules = { body: z.unknown().optional(), bodyEquals: z.unknown().optional(), matches: z.string().optional(), headers: values.optional() };
const names = z.array(z.string()).min(1);

const thenShape = z.union([
  z.strictObject({ status: z.enum(["completed", "failed", "discarded", "cancelled", "running"]) }),
  z.strictObject({ reply: z.strictObject({ status: z.int().optional(), ...bodyRules }) }),
  z.strictObject({ error: z.strictObject({ type: z.string().optional(), contains: z.string().optional(), stepId: z.string().optional() }) }),
  z.strictObject({ mockCalled: z.union([z.string(), values]) }),
  z.strictObject({ mockOrder: names }),
  z.strictObject({ visited: names }),
  z.strictObject({ notVisited: names }),
  z.strictObject({ logged: z.strictObject({ level: z.string().optional(), contains: z.string() }) }),
]);

const defaultsShape = z.strictObject({
  unmatched: z.enum(["passthrough", "fail"]).default("fail"),
  time: z.enum(["real", "skip"]).default("skip"),
  timeoutMs: z.int().min(1).default(5_000),
});

const testShape = z.strictObject({
  name: z.string().min(1),
  mocks: z.array(values).default([]),
  /** One call, or several in a row; what the test says about status and reply is about the last. */
  when: z.union([whenShape, z.array(whenShape).min(1)]),
  then: z.array(thenShape).min(1),
  each: z.array(values).min(1).optional(),
  time: z.enum(["real", "skip"]).optional(),
});

const fileShape = z
  .strictObject({
    flow: z.string().optional(),
    flowId: z.string().optional(),
    params: z.record(z.string(), z.string()).optional(),
    defaults: defaultsShape.prefault({}),
    tests: z.array(testShape).min(1),
  })
  .refine((file) => (file.flow === undefined) !== (file.flowId === undefined), { message: "needs either flow (a file) or flowId (what is deployed)" });

export type FlowTestFile = z.infer<typeof fileShape>;
export type FlowTest = z.infer<typeof testShape>;
export type When = z.infer<typeof whenShape>;
export type Then = z.infer<typeof thenShape>;

/** The file is wrong; the message says where. */
export class FlowTestFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FlowTestFileError";
  }
}

export function readFlowTests(yaml: string): FlowTestFile {
  let data: unknown;
  try {
    data = parse(yaml, { maxAliasCount: 100 });
  } catch (error) {
    throw new FlowTestFileError(`the test file is no valid YAML: ${(error as Error).message.split("\n")[0]}`);
  }
  const result = fileShape.safeParse(data);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new FlowTestFileError(`${issue?.path.join(".") || "the test file"}: ${issue?.message ?? "not understood"}`);
}

/** The test once per row of `each`, with `${row.name}` filled in; the test itself when it has no rows. */
export function expandRows(test: FlowTest): readonly FlowTest[] {
  const { each, ...rest } = test;
  if (each === undefined) return [test];
  return each.map((row, index) => ({ ...(fill(rest, row) as FlowTest), name: `${String(fill(test.name, row))} [${index + 1}]` }));
}

function fill(value: unknown, row: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === "string") {
    const whole = /^\$\{row\.([\w-]+)\}$/.exec(value);
    if (whole !== null) return row[whole[1] as string] ?? null;
    return value.replaceAll(/\$\{row\.([\w-]+)\}/g, (_all, name: string) => String(row[name] ?? ""));
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, row));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner, row)]));
}
