import { defineStep, type Compiler, type Exchange } from "@sluice/engine/spi";
import { f, type ExpressionNode, type Span } from "@sluice/model";
import { template } from "../template.ts";
import { setsOneValue } from "../step-guarantees.ts";

export const headerFields = {
  name: f.string({ doc: "Name of the header; may contain Simple expressions.", required: true }),
  expression: f.expression({ doc: "Value of the header.", required: true, inline: true }),
};

export function headerSetter(name: string, expression: ExpressionNode, compiler: Compiler, span: Span): (exchange: Exchange) => void {
  const nameOf = template(name, compiler, span);
  const value = compiler.expression(expression);
  return (exchange) => exchange.message.headers.set(nameOf(exchange), value(exchange));
}

export const setHeader = defineStep({
  name: "setHeader",
  title: "Set header",
  summary: "Sets one message header.",
  guarantees: setsOneValue,
  group: "message",
  icon: "tag",
  paletteGroup: "data",
  card: { title: "Set header {name}", subtitle: "{expression}" },
  since: "0.1",
  options: headerFields,
  examples: [
    {
      title: "Copy the body to a header",
      yaml: 'setHeader: {name: seen, simple: "<${body}>"}',
      given: { body: "abc" },
      expect: { body: "abc", headers: { seen: "<abc>" } },
    },
  ],
  compile({ name, expression }, compiler, node) {
    return headerSetter(name, expression, compiler, node.span);
  },
});
