// Errors while a message is mapped. A fault is thrown where it is found; the current rule adds its target field and source path.
import { FlowError, isFlowError } from "@sluice/engine/spi";

export type FaultCode = "type" | "required" | "pattern" | "max-length" | "enum" | "lookup" | "expression" | "limit" | "input" | "output" | "unexpected";

export class MappingFault extends Error {
  readonly code: FaultCode;
  /** The invalid value, if there is one. */
  readonly value: unknown;
  /** The source path of that value, if known. */
  source: string | undefined = undefined;

  constructor(code: FaultCode, message: string, value?: unknown) {
    super(message);
    this.name = "MappingFault";
    this.code = code;
    this.value = value;
  }
}

/** One failing field, as returned to callers. */
export interface FieldError {
  /** The target field with its positions, such as `items[0].uom`; empty when it concerns the whole message. */
  readonly field: string;
  /** The rule's position in the document, such as `map[6].map[3]`. */
  readonly rule: string;
  readonly code: string;
  /** The complete message: field, problem, source. */
  readonly message: string;
  readonly source: string | null;
  readonly value: unknown;
}

/** Ends a mapping with the field that failed. */
export class FieldFailure extends Error {
  readonly error: FieldError;

  constructor(error: FieldError) {
    super(error.message);
    this.name = "FieldFailure";
    this.error = error;
  }
}

export function asFault(error: unknown): MappingFault {
  if (error instanceof MappingFault) return error;
  if (isFlowError(error)) return new MappingFault(codeOf(error), error.message, error.details?.["value"]);
  if (error instanceof RangeError) return new MappingFault("limit", /call stack/i.test(error.message) ? "the document is nested too deeply" : error.message);
  return new MappingFault("unexpected", error instanceof Error ? error.message : String(error));
}

function codeOf({ code }: FlowError): FaultCode {
  if (code.startsWith("limit")) return "limit";
  if (code.startsWith("invalid-")) return "input";
  return code === "lookup-missing" || code === "table-unknown" || code === "column-unknown" ? "lookup" : "expression";
}
