import { runLimits, targetPath, type Frame } from "../frame.ts";
import { asFault, FieldFailure, type FieldError } from "../mapping-fault.ts";
import { sourceText, type Origin } from "../source-path.ts";

/** The source of a rule's value, if there is a single one; for a switch it depends on the message. */
export type RuleOrigin = Origin | ((frame: Frame) => Origin | undefined) | undefined;

/** Ends the run with the field's error, or records it and continues when all errors are requested. */
export function failRule(thrown: unknown, frame: Frame, location: { readonly field: string; readonly rule: string; readonly origin: RuleOrigin }): void {
  if (thrown instanceof FieldFailure) throw thrown;
  const fault = asFault(thrown);
  const field = (targetPath(frame) + location.field).replace(/\.$/, "");
  const origin = fault.source !== undefined ? undefined : typeof location.origin === "function" ? location.origin(frame) : location.origin;
  const source = origin === undefined ? fault.source : sourceText(origin, frame);
  const message = `${field}: ${fault.message}${source === undefined ? "" : ` [source ${source}]`}`;
  const error: FieldError = { field, rule: location.rule, code: fault.code, message, source: source ?? null, value: plainValue(fault.value) };
  const { errors } = frame.run;
  errors?.push(error);
  if (errors === undefined || fault.code === "limit" || errors.length >= runLimits.errors) throw new FieldFailure(error);
}

/** A value as shown in replies; long integers as digits, because JSON.stringify rejects bigint. */
function plainValue(value: unknown): unknown {
  return value === undefined || typeof value === "object" ? null : typeof value === "bigint" ? String(value) : value;
}
