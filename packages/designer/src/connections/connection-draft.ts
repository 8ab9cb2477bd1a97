// A connection document being edited. Unchanged secrets keep the mask that the runtime returned.
import type { ConnectionSummary } from "@sluice/client";
import type { OptionView } from "@sluice/model";
import type { Members } from "../controls/json-path.ts";

export interface ConnectionDraft {
  readonly type: string;
  readonly title?: string;
  readonly values: Members;
}

/** The document to send, without cleared fields. */
export function documentOf({ type, title, values }: ConnectionDraft): ConnectionDraft {
  const name = title?.trim() ?? "";
  return { type, ...(name === "" ? {} : { title: name }), values: removeEmpty(values) };
}

function removeEmpty(values: Members): Members {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
      if (value === "" || value === null) return [];
      if (typeof value !== "object" || Array.isArray(value)) return [[name, value]];
      const members = removeEmpty(value as Members);
      return Object.keys(members).length === 0 ? [] : [[name, members]];
    }),
  );
}

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The field that an error is about: `property 'port' of connection 'orders': …`, `… the variable 'X' of 'password' is not set`. */
export function fieldErrorOf(message: string): FieldError | undefined {
  const field = /^property '([^']+)'/.exec(message)?.[1] ?? /^connection '[^']*': (?:the variable '[^']*' of )?'([\w.]+)'/.exec(message)?.[1];
  return field === undefined ? undefined : { field, message };
}

/** The fields by group; the common group lists its required fields first. */
export function fieldGroups(fields: readonly OptionView[]): Readonly<Record<OptionView["group"], readonly OptionView[]>> {
  const ofGroup = (group: OptionView["group"]): readonly OptionView[] => fields.filter((field) => field.group === group);
  const common = ofGroup("common");
  return {
    common: [...common.filter(({ required }) => required), ...common.filter(({ required }) => !required)],
    security: ofGroup("security"),
    advanced: ofGroup("advanced"),
  };
}

/** True when one of the fields has a value: their group is then shown expanded. */
export const isUsed = (fields: readonly OptionView[], values: Members): boolean => fields.some(({ name }) => values[name] !== undefined);

/** The displayed state of a connection: `invalid` if its document is invalid, whatever its last state was. */
export const stateOf = ({ state, error }: Pick<ConnectionSummary, "state" | "error">): "up" | "down" | "idle" | "invalid" =>
  error === undefined ? state : "invalid";
