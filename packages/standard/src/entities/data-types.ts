// transformers and validators: Camel runs them for the inputType and outputType of a route. Here, types are documentation only.
import type { EntityDeclaration } from "@sluice/engine/spi";
import { f } from "@sluice/model";

const text = (doc: string) => f.string({ doc, group: "advanced" });
const commonMembers = { group: "registry", since: "0.1" } as const;

const transformerFields = {
  fromType: text("The input type."),
  toType: text("The output type."),
  name: text("Name of the transformer."),
  scheme: text("Scheme of the data types."),
};

export const transformers: EntityDeclaration = {
  ...commonMembers,
  name: "transformers",
  title: "Transformers",
  summary: "Accepted but ignored: convert with marshal, unmarshal, transform or a message mapping.",
  caution: "transformers have no effect: convert with marshal, unmarshal, transform or a message mapping",
  options: {
    customTransformer: f.object({ ...transformerFields, className: text("A Java class."), ref: text("A Java object.") }, { doc: "A Java transformer." }),
    dataFormatTransformer: f.object({ ...transformerFields, format: f.format({ doc: "The data format." }) }, { doc: "A transformer that uses a data format." }),
    endpointTransformer: f.object(
      { ...transformerFields, uri: text("The endpoint."), ref: text("Name of the endpoint.") },
      { doc: "A transformer that calls an endpoint." },
    ),
    loadTransformer: f.object(
      { ...transformerFields, defaults: text("Whether the default transformers are loaded."), packageScan: text("Java packages.") },
      { doc: "Transformers found in Java packages." },
    ),
  },
};

export const validators: EntityDeclaration = {
  ...commonMembers,
  name: "validators",
  title: "Validators",
  summary: "Accepted but ignored: check messages with validate.",
  caution: "validators have no effect: check messages with the step validate",
  options: {
    customValidator: f.object(
      { type: text("The type to validate."), className: text("A Java class."), ref: text("A Java object.") },
      { doc: "A Java validator." },
    ),
    endpointValidator: f.object(
      { type: text("The type to validate."), uri: text("The endpoint."), ref: text("Name of the endpoint.") },
      { doc: "A validator that calls an endpoint." },
    ),
    predicateValidator: f.object(
      { type: text("The type to validate."), expression: f.expression({ doc: "The condition.", inline: true }) },
      { doc: "A validator that evaluates a condition." },
    ),
  },
};
