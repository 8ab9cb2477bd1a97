import { CompileError, defineLanguage, type FlowError } from "@sluice/engine/spi";
import { constantExpression } from "@sluice/engine/tools";
import { findConversion } from "@sluice/engine/values";
import { f } from "@sluice/model";

export const constant = defineLanguage({
  name: "constant",
  title: "Constant",
  summary: "A fixed value: the literal text.",
  group: "language",
  icon: "type",
  since: "0.1",
  options: {
    resultType: f.string({ doc: "Type of the value.", examples: ["Integer"] }),
    trim: f.boolean({ doc: "Trims the text.", default: true, group: "advanced" }),
    id: f.string({ doc: "Id of the expression, for tools.", group: "advanced" }),
  },
  examples: [
    { title: "Fixed text", yaml: "- setBody:\n    constant: Hello", expect: { body: "Hello" } },
    { title: "A fixed number", yaml: '- setBody:\n    constant: {expression: "42", resultType: Integer}', expect: { body: 42 } },
  ],
  compile(text, options) {
    const source = (options["trim"] ?? "true").trim().toLowerCase() === "true" ? text.trim() : text;
    const type = options["resultType"]?.trim() ?? "";
    if (type === "") return constantExpression(source);
    const convert = findConversion(type);
    if (convert === undefined)
      throw new CompileError("language-result-type", `unknown resultType '${type}'`, {
        hint: "write String, Integer, Long, Double, Boolean, byte[], java.util.List or java.util.Map",
      });
    return constantExpression(convertConstant(source, convert));
  },
});

function convertConstant(source: string, convert: (value: unknown) => unknown): unknown {
  try {
    return convert(source);
  } catch (fault) {
    throw new CompileError((fault as FlowError).code, (fault as FlowError).message, { offset: 0 });
  }
}
