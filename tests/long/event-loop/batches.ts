// Combines several cases in one route: the body is sent and parsed once for all of them. The route waits between cases, so that each is measured
// separately; a failing case does not stop the next ones.
import type { InputName } from "./hostile-inputs.ts";
import type { MessageCase } from "./message-cases.ts";

export interface Batch {
  readonly name: string;
  readonly cases: readonly MessageCase[];
  readonly inputs: readonly InputName[];
  /** The steps of the route. */
  readonly steps: readonly string[];
}

const maxCases = 12;

/** Cases that end the route, or that test the reply itself. */
const singleCases = /^(?:reply|failure|step (?:stop|rollback|resequence|sample|threads)) /;

/** All cases, grouped by inputs. */
export function batchesOf(cases: readonly MessageCase[]): readonly Batch[] {
  const groups = new Map<string, MessageCase[]>();
  for (const messageCase of cases) {
    const kind = singleCases.test(messageCase.name) ? messageCase.name : (messageCase.name.split(" ")[0] as string);
    const key = `${kind} < ${messageCase.inputs.join()}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [messageCase]);
    else group.push(messageCase);
  }
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / maxCases) }, (_, index) => batchOf(group.slice(index * maxCases, (index + 1) * maxCases))),
  );
}

function batchOf(cases: readonly MessageCase[]): Batch {
  const [first] = cases as readonly [MessageCase, ...MessageCase[]];
  if (cases.length === 1) return { ...first, cases };
  return { name: cases.map(({ name }) => name).join(" | "), cases, inputs: first.inputs, steps: batchSteps(cases) };
}

const batchSteps = (cases: readonly MessageCase[]): readonly string[] => [
  'setVariable: {name: original, simple: "${body}"}',
  ...cases.flatMap(({ steps }) => [
    "setBody: {variable: original}",
    "delay: {constant: 1}",
    `doTry: {steps: [${steps.map((step) => `{${step}}`).join(", ")}, {convertBodyTo: {type: String}}], doCatch: [{exception: [java.lang.Throwable], steps: [{setProperty: {name: failed, constant: x}}]}]}`,
  ]),
  'removeHeaders: {pattern: "*"}',
  "setBody: {constant: done}",
];
