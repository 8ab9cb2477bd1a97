// The functions that the examples of `bean` and `process` call, as an operator would register them.
import type { BeanDeclaration, Exchange } from "@sluice/engine/spi";

const registered = (name: string, call: (exchange: Exchange) => unknown): BeanDeclaration => ({
  names: [name],
  kind: "function",
  properties: {},
  title: name,
  summary: "A function of the operator.",
  group: "functions",
  since: "0.1",
  create: () => call,
});

export const operatorFunctions: readonly BeanDeclaration[] = [
  registered("prices.total", ({ message }) => (message.body as number[]).reduce((sum, price) => sum + price, 0)),
  registered("stamp", ({ message }) => message.headers.set("stamped", "yes")),
];
