// `from: kamelet:x`: the steps of the route run where the Kamelet sends to `kamelet:sink`.
import { isTemplateEndpoint, type StepNode } from "@sluice/model";

/** The Kamelet's steps with `routeSteps` instead of its sink; in a Kamelet without a sink, `routeSteps` run at the end, as in Camel. */
export function withSteps(steps: readonly StepNode[], routeSteps: readonly StepNode[]): readonly StepNode[] {
  let sinkCount = 0;
  const replaced = replaceSinks(steps, (sink) => {
    sinkCount++;
    return sinkCount === 1 ? routeSteps : prefixIds(routeSteps, `${sink.id}-`);
  });
  return sinkCount === 0 ? [...replaced, ...routeSteps] : replaced;
}

function replaceSinks(steps: readonly StepNode[], stepsFor: (sink: StepNode) => readonly StepNode[]): readonly StepNode[] {
  return steps.flatMap((step) => (isSink(step) ? stepsFor(step) : [{ ...step, options: replaceIn(step.options, stepsFor) as StepNode["options"] }]));
}

/** Searches the options of a step for steps: branches, blocks, lists of either. */
function replaceIn(value: unknown, stepsFor: (sink: StepNode) => readonly StepNode[]): unknown {
  if (Array.isArray(value)) return value.some(isStep) ? replaceSinks(value as StepNode[], stepsFor) : value.map((item) => replaceIn(item, stepsFor));
  return isPlain(value) ? mapMembers(value, (member) => replaceIn(member, stepsFor)) : value;
}

const isStep = (value: unknown): value is StepNode =>
  typeof value === "object" && value !== null && "id" in value && "name" in value && "options" in value && "span" in value;

const isSink = ({ name, options }: StepNode): boolean => name === "to" && typeof options["uri"] === "string" && isTemplateEndpoint(options["uri"]);

/** Step ids are unique in a route, so every copy of the route's steps after the first gets new ids. */
function prefixIds(steps: readonly StepNode[], prefix: string): readonly StepNode[] {
  const rename = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rename);
    if (!isPlain(value)) return value;
    const members = mapMembers(value, rename);
    return isStep(value) ? { ...members, id: `${prefix}${value.id}` } : members;
  };
  return steps.map((step) => rename(step) as StepNode);
}

const isPlain = (value: unknown): value is object => typeof value === "object" && value !== null && !(value instanceof Date) && !(value instanceof RegExp);

function mapMembers(value: object, change: (member: unknown) => unknown): object {
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as Record<string, unknown>;
  for (const [key, member] of Object.entries(value)) copy[key] = change(member);
  return copy;
}
