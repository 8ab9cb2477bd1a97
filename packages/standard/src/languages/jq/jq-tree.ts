// The parsed form of a jq program.

export type Ast =
  | { readonly kind: "identity" }
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "text"; readonly format: string | undefined; readonly parts: readonly (string | Ast)[] }
  | { readonly kind: "format"; readonly name: string }
  | { readonly kind: "index"; readonly of: Ast; readonly key: Ast; readonly optional?: boolean }
  | { readonly kind: "slice"; readonly of: Ast; readonly from: Ast | undefined; readonly to: Ast | undefined; readonly optional?: boolean }
  | { readonly kind: "iterate"; readonly of: Ast; readonly optional?: boolean }
  | { readonly kind: "try"; readonly body: Ast; readonly handler: Ast | undefined }
  | { readonly kind: "array"; readonly of: Ast | undefined }
  | { readonly kind: "object"; readonly entries: readonly { readonly key: Ast; readonly value: Ast }[] }
  | { readonly kind: "negate"; readonly of: Ast }
  | { readonly kind: "pipe"; readonly left: Ast; readonly right: Ast }
  | { readonly kind: "comma"; readonly left: Ast; readonly right: Ast }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Ast; readonly right: Ast }
  | { readonly kind: "and"; readonly left: Ast; readonly right: Ast }
  | { readonly kind: "or"; readonly left: Ast; readonly right: Ast }
  | { readonly kind: "alternative"; readonly left: Ast; readonly right: Ast }
  | { readonly kind: "update"; readonly operator: string; readonly left: Ast; readonly right: Ast }
  | { readonly kind: "if"; readonly condition: Ast; readonly then: Ast; readonly otherwise: Ast }
  | { readonly kind: "reduce"; readonly source: Ast; readonly patterns: readonly Pattern[]; readonly start: Ast; readonly update: Ast }
  | {
      readonly kind: "foreach";
      readonly source: Ast;
      readonly patterns: readonly Pattern[];
      readonly start: Ast;
      readonly update: Ast;
      readonly extract: Ast | undefined;
    }
  | { readonly kind: "define"; readonly definition: Definition; readonly rest: Ast }
  | { readonly kind: "call"; readonly name: string; readonly arguments: readonly Ast[]; readonly offset: number }
  | { readonly kind: "variable"; readonly name: string; readonly offset: number }
  | { readonly kind: "bind"; readonly source: Ast; readonly patterns: readonly Pattern[]; readonly body: Ast }
  | { readonly kind: "label"; readonly name: string; readonly body: Ast }
  | { readonly kind: "break"; readonly name: string; readonly offset: number };

/** The pattern after `as`: a variable, or the shape of a list or object. */
export type Pattern =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Pattern[] }
  | { readonly kind: "members"; readonly members: readonly { readonly name: string | undefined; readonly key: Ast; readonly value: Pattern | undefined }[] };

export interface Definition {
  readonly name: string;
  /** Parameter names; those that start with `$` are values, the others are filters. */
  readonly parameters: readonly string[];
  readonly body: Ast;
}

/** The variables of a pattern, in order of appearance. */
export function variablesOf(pattern: Pattern): string[] {
  if (pattern.kind === "name") return [pattern.name];
  if (pattern.kind === "list") return pattern.items.flatMap(variablesOf);
  return pattern.members.flatMap((member) => [
    ...(member.name === undefined ? [] : [member.name]),
    ...(member.value === undefined ? [] : variablesOf(member.value)),
  ]);
}
