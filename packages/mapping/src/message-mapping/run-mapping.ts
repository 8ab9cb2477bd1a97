// Runs a compiled mapping: body → data → target data → body.
import type { CompiledVariable } from "./compile-mapping.ts";
import type { Incremental } from "../text/incremental.ts";
import type { WriteFields } from "./compile/rule-compiler.ts";
import { failRule } from "./compile/fail-rule.ts";
import type { Target } from "./compile/target-path.ts";
import type { MessageFormat } from "./formats/message-format.ts";
import { Frame, MappingRun, type HeaderSource } from "./frame.ts";
import { asFault, FieldFailure, type FieldError } from "./mapping-fault.ts";

export interface MappingInput {
  readonly body: unknown;
  readonly headers: HeaderSource;
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970, for `now()` and `today()`. */
  readonly now: number;
}

export interface MappingResult {
  /** Undefined when there are errors. */
  readonly output: unknown;
  readonly errors: readonly FieldError[];
  /** Work steps used, as counted for the limit. */
  readonly work: number;
}

export interface CompiledMapping {
  readonly document: Readonly<Record<string, unknown>>;
  readonly source: string;
  readonly target: string;
  readonly contentType: string;
  readonly fields: number;
  /** Tables it uses. */
  readonly uses: readonly string[];
  /** Documents it imports, directly or indirectly. */
  readonly imports: readonly string[];
  run(input: MappingInput): MappingResult;
  /** Like `run`, incrementally, for a long body. */
  runIncrementally(input: MappingInput): Incremental<MappingResult>;
}

export interface MappingPlan {
  readonly document: Readonly<Record<string, unknown>>;
  readonly source: MessageFormat;
  readonly target: MessageFormat;
  readonly vars: readonly CompiledVariable[];
  readonly write: WriteFields;
  readonly fields: number;
  readonly uses: readonly string[];
  readonly imports: readonly string[];
  readonly collectsErrors: boolean;
}

export function createMapping(plan: MappingPlan): CompiledMapping {
  const { document, source, target, fields, uses, imports } = plan;
  return {
    document,
    source: source.name,
    target: target.name,
    contentType: target.contentType,
    fields,
    uses,
    imports,
    run: (input) =>
      writeOutput(
        plan,
        mapFields(plan, input, () => source.read(input.body)),
      ),
    *runIncrementally(input) {
      const reading = yield* outcomeIncrementally(source.readIncrementally(input.body));
      yield undefined;
      const fields = mapFields(plan, input, reading);
      yield undefined;
      const { output } = fields;
      if (output === undefined || target.writeIncrementally === undefined) return writeOutput(plan, fields);
      return writeOutput(plan, fields, yield* outcomeIncrementally(target.writeIncrementally(output)));
    },
  };
}

/** Returns a function that returns the result of the steps or throws their error, so that the caller handles a failure like any other. */
function* outcomeIncrementally(steps: Incremental<unknown>): Incremental<() => unknown> {
  try {
    const value = yield* steps;
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The target fields; undefined when there are errors. */
interface Mapped extends Omit<MappingResult, "output"> {
  readonly output: Target | undefined;
}

function mapFields({ vars, write, collectsErrors }: MappingPlan, { headers, params, now }: MappingInput, read: () => unknown): Mapped {
  let run: MappingRun | undefined;
  try {
    const root = read();
    run = new MappingRun(root, headers, params, { now, collectsErrors });
    const frame = new Frame(run, undefined, root);
    for (let index = 0; index < vars.length; index++) evaluateVariable(vars[index] as CompiledVariable, index, frame);
    const output: Target = {};
    write(frame, output);
    if (run.errors !== undefined && run.errors.length > 0) return { output: undefined, errors: run.errors, work: run.work };
    return { output, errors: [], work: run.work };
  } catch (error) {
    const work = run?.work ?? 0;
    return error instanceof FieldFailure ? { output: undefined, errors: run?.errors ?? [error.error], work } : failureResult(error, work);
  }
}

function writeOutput({ target }: MappingPlan, fields: Mapped, write = () => target.write(fields.output)): MappingResult {
  if (fields.output === undefined) return fields;
  try {
    return { output: write(), errors: [], work: fields.work };
  } catch (error) {
    return error instanceof FieldFailure ? { output: undefined, errors: [error.error], work: fields.work } : failureResult(error, fields.work);
  }
}

function failureResult(error: unknown, work: number): Mapped {
  const { code, message } = asFault(error);
  return { output: undefined, errors: [{ field: "", rule: "", code, message, source: null, value: null }], work };
}

function evaluateVariable({ name, evaluate }: CompiledVariable, index: number, frame: Frame): void {
  try {
    frame.run.vars[index] = evaluate(frame);
  } catch (error) {
    failRule(error, frame, { field: name, rule: `vars[${index}]`, origin: undefined });
  }
}
