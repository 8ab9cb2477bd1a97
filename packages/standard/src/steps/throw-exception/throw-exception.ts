import { defineStep, FlowError } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { checkExceptionType } from "../exception-type.ts";
import { template } from "../template.ts";
import { failsExchange } from "../step-guarantees.ts";

export const throwException = defineStep({
  name: "throwException",
  title: "Throw exception",
  summary: "Fails the exchange on purpose.",
  guarantees: failsExchange,
  group: "errors",
  icon: "triangle-alert",
  paletteGroup: "errors",
  card: { title: "Fail", subtitle: "{message}" },
  since: "0.1",
  options: {
    exceptionType: f.string({
      doc: "Fully qualified exception type, for onException and doCatch.",
      required: true,
      examples: ["java.lang.IllegalArgumentException"],
    }),
    message: f.text({ doc: "The error message; may contain Simple expressions.", default: "" }),
  },
  examples: [
    {
      title: "Reject a message",
      yaml: 'throwException: {exceptionType: java.lang.IllegalArgumentException, message: "bad ${body}"}',
      given: { body: "x" },
      expect: { error: "bad x" },
    },
  ],
  compile({ exceptionType, message }, compiler, node) {
    checkExceptionType(exceptionType);
    const text = template(message, compiler, node.span);
    return (exchange) => {
      throw new FlowError(exceptionType, text(exchange), { code: "flow-exception" });
    };
  },
});
