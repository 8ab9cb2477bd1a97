import { CompileError, defineLanguage } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { propertyReader } from "../simple/compile/access.ts";

export const exchangeProperty = defineLanguage({
  name: "exchangeProperty",
  title: "Exchange property",
  summary: "The value of an exchange property; its name is case-sensitive.",
  group: "language",
  icon: "tag",
  since: "0.1",
  options: {
    trim: f.boolean({ doc: "Accepted but ignored: the name is always trimmed.", default: true, group: "advanced" }),
    id: f.string({ doc: "Id of the expression, for tools.", group: "advanced" }),
  },
  examples: [
    { title: "A property as the body", yaml: "- setBody:\n    exchangeProperty: tenant", given: { properties: { tenant: "acme" } }, expect: { body: "acme" } },
  ],
  compile(text) {
    const name = text.trim();
    if (name === "") throw new CompileError("language-name-missing", "the name of the property is missing", { offset: 0 });
    return propertyReader(name);
  },
});
