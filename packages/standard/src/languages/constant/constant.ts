import { CompileError, constantExpression, defineLanguage, findConversion, type FlowError } from "@sluice/engine/spi";
import { f } from "@sluice/model";

export const constant = defineLanguage({
  name: "constant",
  title: "Constant",
  summary: "A fixed value: the text as it is written.",
  group: "language",
  icon: "type",
  since: "0.1",
  options: {
    resultType: f.string({ doc: "The type the text is converted to.", examples: ["Integer"] }),
    trim: f.boolean({ doc: "Removes blanks at both ends of the text.", default: true, group: "advanced" }),
    id: f.string({ doc: "An id of the expression, for tools.", group: "advanced" }),
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
      throw new CompileError("language-result-type", `resultType '${type}' is not known`, {
        hint: "write String, Integer, Long, Double, Boolean, byte[], java.util.List or java.util.Map",
      });
    return constantExpression(converted(source, convert));
  },
});

function converted(source: string, convert: (value: unknown) => unknown): unknown {
  try {
    return convert(source);
  } catch (fault) {
    throw new CompileError((fault as FlowError).code, (fault as FlowError).message, { offset: 0 });
  }
}
