import { CompileError, defineLanguage } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { headerReader } from "../simple/compile/access.ts";

export const header = defineLanguage({
  name: "header",
  title: "Header",
  summary: "The value of a message header; the name is case-insensitive. Without such a header, the exchange property of that name is used.",
  group: "language",
  icon: "tag",
  since: "0.1",
  options: {
    trim: f.boolean({ doc: "Accepted but ignored: the name is always trimmed.", default: true, group: "advanced" }),
    id: f.string({ doc: "Id of the expression, for tools.", group: "advanced" }),
  },
  examples: [{ title: "A header as the body", yaml: "- setBody:\n    header: color", given: { headers: { Color: "red" } }, expect: { body: "red" } }],
  compile(text) {
    const name = text.trim();
    if (name === "") throw new CompileError("language-name-missing", "the name of the header is missing", { offset: 0 });
    return headerReader(name);
  },
});
