import { CompileError, defineStep } from "@sluice/engine/spi";
import { bodyFromCall } from "@sluice/engine/tools";
import { f } from "@sluice/model";
import { compileCall } from "../../operator-functions/bean-reference.ts";
import { callsFunction } from "../step-guarantees.ts";

/** Calls a function that the operator registered; no other beans can be called. */
export const bean = defineStep({
  name: "bean",
  title: "Bean",
  summary: "Calls a function that the operator registered; its return value becomes the body.",
  guarantees: callsFunction,
  group: "message",
  icon: "function-square",
  paletteGroup: "code",
  card: { title: "Run {ref}", subtitle: "{method}" },
  since: "0.1",
  shorthand: "ref",
  options: {
    ref: f.string({ doc: "Name of the function, or of the object that has it." }),
    method: f.string({
      doc: "Name of the function within the object, with arguments if it takes any: `total(${body}, 'EUR')`. Without arguments it receives the exchange.",
    }),
    beanType: f.string({ doc: "Name of a Java class that the operator replaces with a class or object of the same name.", group: "advanced" }),
    scope: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
  },
  examples: [
    {
      title: "An operator function `prices.total` that sums a list",
      yaml: "bean: {ref: prices, method: total}",
      given: { body: [10, 20, 12] },
      expect: { body: 42 },
    },
  ],
  compile({ ref, method, beanType }, compiler, node) {
    const beanName = ref ?? beanType;
    if (beanName === undefined)
      throw new CompileError("option-missing", "step 'bean' needs 'ref'", { hint: "specify a function registered with SERVICE_FUNCTIONS" });
    const call = compileCall(
      { bean: beanName, method },
      {
        bean: (reference, kind) => compiler.registry.bean(reference, kind),
        template: (text) => compiler.expression({ language: "simple", text, options: {}, span: node.span }),
      },
    );
    return bodyFromCall(call);
  },
});
