import { CompileError, defineFormat } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** A reference to a format declared in the document. The registry replaces it; it never runs itself. */
export const custom = defineFormat({
  name: "custom",
  title: "Named format",
  summary: "A format declared under `dataFormats`, referenced by its id.",
  group: "text",
  icon: "link",
  since: "0.1",
  shorthand: "ref",
  options: {
    id: f.string({ doc: "Id of this reference.", group: "advanced" }),
    ref: f.string({ doc: "The id of the format under `dataFormats`.", required: true }),
  },
  examples: [],
  create({ ref }) {
    throw new CompileError("format-unknown", `unknown data format '${ref}'`, {
      hint: "declare it at the top of the document: - dataFormats: [{json: {id: …}}]",
    });
  },
});
