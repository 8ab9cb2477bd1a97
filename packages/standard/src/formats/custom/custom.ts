import { CompileError, defineFormat } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** A format declared elsewhere in the document. The registry puts the declared one in its place; it never runs itself. */
export const custom = defineFormat({
  name: "custom",
  title: "Named format",
  summary: "A format declared under `dataFormats`, found by its id.",
  group: "text",
  icon: "link",
  since: "0.1",
  shorthand: "ref",
  options: {
    id: f.string({ doc: "A name of its own.", group: "advanced" }),
    ref: f.string({ doc: "The id of the format under `dataFormats`.", required: true }),
  },
  examples: [],
  create({ ref }) {
    throw new CompileError("format-unknown", `there is no format '${ref}' under dataFormats`, {
      hint: "declare it at the top of the document: - dataFormats: [{json: {id: …}}]",
    });
  },
});
