// Options that are plain text unless they contain an expression.
import type { Compiler, Expression } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import type { Span } from "@sluice/model";

export function isTemplate(text: string): boolean {
  return text.includes("${") || text.includes("$simple{");
}

/** Compiles an option that may contain Simple expressions; plain text is not evaluated per message. */
export function template(text: string, compiler: Compiler, span: Span): Expression<string> {
  if (!isTemplate(text)) return () => text;
  const expression = compiler.expression({ language: "simple", text, options: {}, span });
  return (exchange) => asText(expression(exchange));
}
