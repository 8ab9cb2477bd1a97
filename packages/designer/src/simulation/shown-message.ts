// A copy of a message for display: plain data with a limited size.
import type { Exchange } from "@sluice/engine";
import { bodyTypeOf, toPlain, toPlainWithin, type BodyType } from "@sluice/engine/values";

type Values = Readonly<Record<string, unknown>>;

export interface ShownMessage {
  readonly body: unknown;
  readonly bodyType: BodyType;
  /** The body was truncated. */
  readonly truncated: boolean;
  readonly headers: Values;
  readonly properties: Values;
  readonly variables: Values;
}

const maxBodyLength = 64 * 1_024;
const maxValueLength = 4 * 1_024;
const maxValues = 200;

export function shownMessage({ message, properties, variables }: Exchange): ShownMessage {
  const { plain, complete } = toPlainWithin(message.body, maxBodyLength);
  return {
    body: plain,
    bodyType: bodyTypeOf(message.body),
    truncated: !complete,
    headers: shownValues(message.headers),
    properties: shownValues(properties ?? []),
    variables: shownValues(variables ?? []),
  };
}

function shownValues(values: Iterable<readonly [string, unknown]>): Values {
  const result = new Map<string, unknown>();
  for (const [name, value] of values) {
    if (result.size >= maxValues) break;
    result.set(name, toPlain(value, maxValueLength));
  }
  return Object.fromEntries(result);
}
