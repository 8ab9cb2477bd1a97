import type { FieldKinds } from "../form-scope.ts";
import { AddressField } from "./address-field.tsx";
import { ExpressionField } from "./expression-field.tsx";
import { FormatField } from "./format-field.tsx";
import { ListField, ObjectField } from "./nested-fields.tsx";
import { ParametersOption } from "./parameters-field.tsx";
import { ScalarField } from "./scalar-field.tsx";

export const fieldKinds: FieldKinds = {
  string: ScalarField,
  uri: AddressField,
  parameters: ParametersOption,
  expression: ExpressionField,
  format: FormatField,
  list: ListField,
  object: ObjectField,
};
