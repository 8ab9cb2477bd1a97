import type { Evaluate, Frame } from "../frame.ts";
import { asFault, type MappingFault } from "../mapping-fault.ts";
import { sourceText, type Origin } from "../source-path.ts";
import { scalarOf } from "../values.ts";
import type { DocumentContext } from "./document-context.ts";
import type { Shape } from "./shape.ts";

export interface Compiled {
  readonly evaluate: Evaluate;
  /** True for `[*]`, filters and the names after them: names then apply to each element. */
  readonly isMany: boolean;
  readonly shape: Shape | undefined;
  /** Set for plain paths: the source that an error names. */
  readonly origin: Origin | undefined;
  /** The name of the elements that a path selects, if the path contains their name. */
  readonly element?: string | undefined;
}

export const computed = (evaluate: Evaluate): Compiled => ({ evaluate, isMany: false, shape: undefined, origin: undefined });

/** The shape of a member; a name that the shape does not have is an error in the document. */
export function memberShape(shape: Shape | undefined, name: string, context: DocumentContext): Shape | undefined {
  if (shape?.kind === "list" && context.oneOrMany) return memberShape(shape.of, name, context);
  if (shape === undefined || shape.kind === "any" || name === "#text" || name === "c1") return undefined;
  if (shape.kind === "object" && shape.members.has(name)) return shape.members.get(name);
  const names = shape.kind === "object" ? shape.members.keys() : [];
  const suggestion = context.closest(name, names);
  const why =
    shape.kind === "list" ? `: its parent is a list; write [*].${name} or [0].${name}` : suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`;
  context.report(`the source has no field '${name}'${why}`);
  return undefined;
}

/** Finds the operand that caused a fault, so that the message can name its path in the source. */
export function located(error: unknown, operands: readonly Compiled[], frame: Frame): MappingFault {
  const fault = asFault(error);
  if (fault.source !== undefined || fault.value === undefined) return fault;
  const value = scalarOf(fault.value);
  const failing = operands.find(({ origin, evaluate }) => origin !== undefined && scalarOf(evaluate(frame)) === value);
  if (failing?.origin !== undefined) fault.source = sourceText(failing.origin, frame);
  return fault;
}
