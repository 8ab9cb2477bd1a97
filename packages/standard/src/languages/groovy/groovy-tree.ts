// The syntax tree of the Groovy subset. Every node has its start position, for error messages.
export type BinaryOperator =
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "**"
  | "<<"
  | "=="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "<=>"
  | "=~"
  | "==~"
  | "in"
  | "&&"
  | "||"
  | "?:"
  | "..";

export type Node = { readonly offset: number } & (
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "template"; readonly parts: readonly (string | Node)[] }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Node[] }
  | { readonly kind: "map"; readonly entries: readonly (readonly [Node, Node])[] }
  | { readonly kind: "member"; readonly of: Node; readonly name: string; readonly access: "plain" | "safe" | "spread" }
  | { readonly kind: "index"; readonly of: Node; readonly at: Node; readonly safe: boolean }
  | {
      readonly kind: "call";
      readonly of: Node | undefined;
      readonly name: string;
      readonly access: "plain" | "safe" | "spread";
      readonly parameters: readonly Node[];
    }
  | { readonly kind: "new"; readonly type: string; readonly parameters: readonly Node[] }
  | { readonly kind: "closure"; readonly names: readonly string[]; readonly body: readonly Statement[] }
  | { readonly kind: "unary"; readonly operator: "!" | "-" | "+"; readonly operand: Node }
  | { readonly kind: "binary"; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly kind: "ternary"; readonly test: Node; readonly then: Node; readonly otherwise: Node }
  | { readonly kind: "cast"; readonly of: Node; readonly type: string }
  | { readonly kind: "typeTest"; readonly of: Node; readonly type: string; readonly negated: boolean }
);

export type Statement = { readonly offset: number } & (
  | { readonly kind: "declare"; readonly name: string; readonly value: Node | undefined }
  | { readonly kind: "assign"; readonly target: Node; readonly value: Node }
  | { readonly kind: "if"; readonly test: Node; readonly then: readonly Statement[]; readonly otherwise: readonly Statement[] }
  | { readonly kind: "return"; readonly value: Node | undefined }
  | { readonly kind: "expression"; readonly value: Node }
);
