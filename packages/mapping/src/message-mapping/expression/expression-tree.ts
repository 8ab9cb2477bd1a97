export type ExpressionTree =
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "member"; readonly of: ExpressionTree; readonly name: string }
  | { readonly kind: "index"; readonly of: ExpressionTree; readonly index: ExpressionTree }
  | { readonly kind: "all"; readonly of: ExpressionTree }
  | { readonly kind: "filter"; readonly of: ExpressionTree; readonly test: ExpressionTree }
  | { readonly kind: "each"; readonly of: ExpressionTree; readonly body: ExpressionTree }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly ExpressionTree[] }
  | { readonly kind: "unary"; readonly operator: "-" | "!"; readonly of: ExpressionTree }
  | { readonly kind: "binary"; readonly operator: string; readonly left: ExpressionTree; readonly right: ExpressionTree }
  | { readonly kind: "choice"; readonly test: ExpressionTree; readonly then: ExpressionTree; readonly otherwise: ExpressionTree }
  | { readonly kind: "list"; readonly items: readonly ExpressionTree[] };

/** Invalid expression text; the message includes the position. */
export class ExpressionError extends Error {
  constructor(message: string, text: string, offset: number) {
    super(`${message} at column ${offset + 1} of '${text.length > 80 ? `${text.slice(0, 80)}…` : text}'`);
    this.name = "ExpressionError";
  }
}
