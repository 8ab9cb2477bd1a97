// The YAML of a new step, branch or endpoint: the required options with readable default values.
import { scalarYaml, type ConnectorView, type EntityView, type KameletView, type OptionView, type StepView } from "@sluice/model";
import { branchesOf, holdsSteps, type BranchView } from "./flow-catalog.ts";

/** Values of options. An entry for `step.option` has precedence over the example in the declaration; one for `option` is used if there is no example. */
const values: Readonly<Record<string, string>> = {
  message: "${body}",
  type: "String",
  name: "name",
  uri: "direct:name",
  exception: "java.lang.Exception",
  exceptionType: "java.lang.IllegalStateException",
  pattern: "*",
  ref: "name",
  idempotentRepository: "name",
  key: "name",
  "aggregate.completionSize": "10",
  "poll.uri": "file:name",
};

/** Options that a step needs although they are optional in its declaration, because one of several is required. */
const neededOptions: Readonly<Record<string, readonly string[]>> = {
  aggregate: ["aggregationStrategy", "completionSize"],
  claimCheck: ["key"],
  loadBalance: ["roundRobinLoadBalancer"],
};

/** The initial expression of a step: language and text. */
const expressions: Readonly<Record<string, readonly [string, string]>> = {
  filter: ["simple", "${body} != null"],
  when: ["simple", "${body} != null"],
  validate: ["simple", "${body} != null"],
  onWhen: ["simple", "${body} != null"],
  loop: ["constant", "3"],
  delay: ["constant", "1000"],
  throttle: ["constant", "10"],
  enrich: ["constant", "direct:name"],
  pollEnrich: ["constant", "file:name"],
  recipientList: ["constant", "direct:name"],
  dynamicRouter: ["constant", "direct:name"],
  routingSlip: ["constant", "direct:name"],
  aggregate: ["constant", "all"],
};

export function starterYaml(step: StepView): string {
  const lines = requiredLines(step.name, step.options);
  if (holdsSteps(step)) lines.push("steps: []");
  for (const branch of branchesOf(step.options)) {
    if (branch.many) lines.push(`${branch.option.name}:`, ...block(branchYaml(branch), "  - ", "    "));
    else if (!holdsSteps(step)) lines.push(`${branch.option.name}:`, ...block(branchYaml(branch), "  ", "  "));
  }
  return lines.length === 0 ? `${step.name}: {}` : `${step.name}:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

/** One branch: its conditions and an empty list of steps. */
export function branchYaml({ option, fields }: BranchView): string {
  return [...requiredLines(option.name, fields), "steps: []"].join("\n");
}

/** A top-level element, such as `onException`. */
export function elementYaml(entity: EntityView): string {
  const lines = [...requiredLines(entity.name, entity.options), ...(holdsSteps(entity) ? ["steps: []"] : [])];
  if (entity.many === true) return `${entity.name}:\n${block(requiredLines(entity.name, entity.options).join("\n"), "  - ", "    ").join("\n")}`;
  return lines.length === 0 ? `${entity.name}: {}` : `${entity.name}:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

/** A route needs at least one step to be deployed. */
export const firstSteps: readonly string[] = ["steps:", "  - log:", '      message: "${body}"'];

/** A route that starts from a connector. */
export function routeYaml(connector: ConnectorView, id: string): string {
  return [
    `route:`,
    `  id: ${scalarYaml(id)}`,
    `  from:`,
    ...[...addressLines(connector, connector.sourceStarter), ...firstSteps].map((line) => `    ${line}`),
  ].join("\n");
}

/** A step that sends to a connector. */
export function sendYaml(connector: ConnectorView, stepName = "to"): string {
  return `${stepName}:\n${addressLines(connector, connector.sinkStarter)
    .map((line) => `  ${line}`)
    .join("\n")}`;
}

/** A step that runs a Kamelet. */
export function kameletYaml(kamelet: KameletView): string {
  return ["kamelet:", `  name: ${scalarYaml(kamelet.name)}`, ...parameterLines(kamelet).map((line) => `  ${line}`)].join("\n");
}

/** A route that starts from a Kamelet. */
export function kameletRouteYaml(kamelet: KameletView, id: string): string {
  const lines = [`uri: ${scalarYaml(`kamelet:${kamelet.name}`)}`, ...parameterLines(kamelet), ...firstSteps];
  return ["route:", `  id: ${scalarYaml(id)}`, "  from:", ...lines.map((line) => `    ${line}`)].join("\n");
}

function parameterLines({ name, parameters }: KameletView): readonly string[] {
  const lines = parameters.filter(({ required }) => required).map((option) => `  ${option.name}: ${scalarYaml(valueOf(name, option))}`);
  return lines.length === 0 ? [] : ["parameters:", ...lines];
}

/** The `uri` and, if options are required, the `parameters` of an endpoint. */
function addressLines(connector: ConnectorView, starter: Readonly<Record<string, string>> = {}): string[] {
  const lines = [`uri: ${scalarYaml(starterUri(connector))}`];
  const needed = connector.options.filter(({ name, required }) => required || Object.hasOwn(starter, name));
  const value = (option: OptionView): string => scalarYaml(starter[option.name] ?? valueOf(connector.scheme, option));
  if (needed.length > 0) lines.push("parameters:", ...needed.map((option) => `  ${option.name}: ${value(option)}`));
  return lines;
}

export function starterUri(connector: ConnectorView): string {
  return connector.path.reduce((uri, option) => uri.replace(option.name, valueOf(connector.scheme, option)), connector.syntax);
}

function requiredLines(owner: string, options: readonly OptionView[]): string[] {
  const isNeeded = ({ name, kind, required, inline }: OptionView): boolean =>
    required || (kind === "expression" && inline === true) || neededOptions[owner]?.includes(name) === true;
  return options.filter(isNeeded).flatMap((option) => optionLines(owner, option));
}

function optionLines(owner: string, option: OptionView): string[] {
  if (option.kind === "steps") return [];
  if (option.kind === "expression") {
    const [language, text] = expressions[owner] ?? expressions[option.name] ?? ["simple", "${body}"];
    const line = `${language}: ${scalarYaml(text)}`;
    return option.inline === true ? [line] : [`${option.name}:`, `  ${line}`];
  }
  if (option.kind === "format") return ["json: {}"];
  if (option.kind === "list")
    return [
      `${option.name}:`,
      ...block(option.item?.fields === undefined ? valueOf(owner, option) : requiredLines(owner, option.item.fields).join("\n"), "  - ", "    "),
    ];
  if (option.kind === "object" && option.fields?.every(({ required }) => !required) === true) return [`${option.name}: {}`];
  if (option.kind === "object") return [`${option.name}:`, ...requiredLines(owner, option.fields ?? []).map((line) => `  ${line}`)];
  return [`${option.name}: ${scalarYaml(valueOf(owner, option))}`];
}

function valueOf(owner: string, option: OptionView): string {
  const specific = values[`${owner}.${option.name}`];
  if (specific !== undefined) return specific;
  const example = option.examples?.[0] ?? option.default ?? option.values?.[0];
  if (typeof example === "string" || typeof example === "number" || typeof example === "boolean") return String(example);
  return values[option.name] ?? option.name;
}

const block = (yaml: string, first: string, rest: string): string[] => yaml.split("\n").map((line, index) => (index === 0 ? first : rest) + line);
