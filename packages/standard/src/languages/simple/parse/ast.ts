// The syntax tree of an expression. Offsets count from the start of the whole text.

export type SimpleNode =
  | { readonly kind: "text"; readonly text: string }
  /** A quoted literal of a predicate; `source` is the text between the quotes. */
  | { readonly kind: "quoted"; readonly source: string; readonly content: SimpleNode }
  /** An unquoted number, boolean or null; `decimals` when a number has a decimal point. */
  | { readonly kind: "value"; readonly value: number | boolean | null; readonly decimals: boolean }
  /** A function: the text between the braces, compiled by the function's own rules. */
  | { readonly kind: "call"; readonly source: string; readonly offset: number; readonly piped: boolean }
  | { readonly kind: "template"; readonly parts: readonly SimpleNode[] }
  | { readonly kind: "increment"; readonly by: 1 | -1; readonly operand: SimpleNode }
  /** The first operator of a chain determines whether null ends the chain. */
  | { readonly kind: "chain"; readonly left: SimpleNode; readonly right: SimpleNode; readonly nullSafe: boolean }
  | { readonly kind: "elvis"; readonly left: SimpleNode; readonly right: SimpleNode }
  | {
      readonly kind: "compare";
      readonly operator: ComparisonName;
      readonly negated: boolean;
      readonly left: SimpleNode;
      readonly right: SimpleNode;
      readonly offset: number;
    }
  | { readonly kind: "ternary"; readonly condition: SimpleNode; readonly yes: SimpleNode; readonly no: SimpleNode }
  | { readonly kind: "logic"; readonly operator: "&&" | "||"; readonly left: SimpleNode; readonly right: SimpleNode };

export type ComparisonName = "==" | "=~" | ">" | ">=" | "<" | "<=" | "contains" | "~~" | "in" | "range" | "regex" | "is" | "startsWith" | "endsWith";

/** Maximum nesting depth of functions. */
export const maxNestingDepth = 100;
