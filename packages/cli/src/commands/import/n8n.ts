// Imports exported n8n workflows.
import { UsageError } from "../../command/declaration.ts";
import { routesOfGraph, type GraphNode } from "./graph-routes.ts";
import { placeholderStep, type ImportResult, type Remark, type Step } from "./import-result.ts";

type Values = Readonly<Record<string, any>>;
type MappedNode = Pick<GraphNode, "steps"> & Partial<Pick<GraphNode, "trigger" | "branch">>;

interface Workflow {
  readonly nodes?: readonly { readonly id?: string; readonly name: string; readonly type: string; readonly disabled?: boolean; readonly parameters?: Values }[];
  readonly connections?: Readonly<Record<string, { readonly main?: readonly (readonly { readonly node: string }[] | null)[] }>>;
}

export function importN8n(text: string): ImportResult {
  const { nodes, connections = {} } = JSON.parse(text) as Workflow;
  if (!Array.isArray(nodes)) throw new UsageError("not an n8n workflow: nodes and connections are required");
  const remarks: Remark[] = [];
  const graph = nodes
    .filter(({ type }) => !type.endsWith(".stickyNote"))
    .map((node): GraphNode => {
      const outputs = (connections[node.name]?.main ?? []).map((targets) => (targets ?? []).map((target) => target.node));
      const mapped = node.disabled === true ? { steps: [] } : mapNode(node.type.replace(/^.*\./, ""), node.parameters ?? {}, node.name, remarks);
      return { id: node.name, name: node.name, outputs, ...mapped };
    });
  const flow = routesOfGraph(graph);
  if (flow.length === 0) remarks.push({ where: "the workflow", text: "has no trigger that can be converted" });
  return { flow, remarks };
}

const mappers: Readonly<Record<string, (parameters: Values, remark: (text: string) => void, name: string) => MappedNode>> = {
  webhook: ({ path, httpMethod, responseMode }, remark) => {
    if (responseMode === undefined || responseMode === "onReceived")
      remark("responds before the workflow runs; here the response is the last body: add async=true to respond immediately");
    return {
      trigger: { uri: `platform-http:/${String(path ?? "").replace(/^\//, "")}`, parameters: { httpMethodRestrict: String(httpMethod ?? "GET") } },
      steps: [],
    };
  },
  manualTrigger: (_, __, name) => ({ trigger: { uri: `direct:${name.replaceAll(/[^\w-]+/g, "-").toLowerCase()}` }, steps: [] }),
  executeWorkflowTrigger: (_, __, name) => ({ trigger: { uri: `direct:${name.replaceAll(/[^\w-]+/g, "-").toLowerCase()}` }, steps: [] }),
  scheduleTrigger: ({ rule }, remark) => ({ trigger: schedule(rule?.interval?.[0] ?? {}, remark), steps: [] }),
  cron: ({ triggerTimes }, remark) => ({ trigger: schedule(triggerTimes?.item?.[0] ?? {}, remark), steps: [] }),
  httpRequest: ({ url, method, requestMethod, jsonBody, sendBody }, remark) => {
    const steps: Step[] = sendBody === true && typeof jsonBody === "string" ? [{ setBody: expression(jsonBody, remark) }] : [];
    const address = expression(String(url ?? ""), remark);
    const dynamic = "simple" in address;
    return {
      steps: [
        ...steps,
        { [dynamic ? "toD" : "to"]: { uri: String(Object.values(address)[0]), parameters: { httpMethod: String(method ?? requestMethod ?? "GET") } } },
      ],
    };
  },
  set: ({ assignments, values }, remark) => ({
    steps: [...((assignments?.assignments ?? []) as readonly Values[]), ...Object.values((values ?? {}) as Record<string, readonly Values[]>).flat()].map(
      ({ name, value }) => {
        remark(`sets '${name}' as a header: use a message mapping to change the body`);
        return { setHeader: { name: String(name), ...expression(String(value), remark) } };
      },
    ),
  }),
  if: ({ conditions }, remark) => {
    const test = conditionOf(conditions, remark);
    return {
      steps: [],
      branch: ([yes = [], no = []]) => ({
        choice: { when: [{ simple: test, steps: orLogStep(yes) }], ...(no.length === 0 ? {} : { otherwise: { steps: no } }) },
      }),
    };
  },
  filter: ({ conditions }, remark) => {
    const test = conditionOf(conditions, remark);
    return { steps: [], branch: ([yes = []]) => ({ filter: { simple: test, steps: orLogStep(yes) } }) };
  },
  respondToWebhook: ({ respondWith, responseBody, options }, remark) => ({
    steps: [
      ...(options?.responseCode === undefined ? [] : [{ setHeader: { name: "CamelHttpResponseCode", constant: String(options.responseCode) } }]),
      ...(respondWith === "text" || respondWith === "json" ? [{ setBody: expression(String(responseBody ?? ""), remark) }] : []),
    ],
  }),
  wait: ({ amount, unit }) => ({
    steps: [
      {
        delay: {
          constant: String(Number(amount ?? 1) * ({ seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }[String(unit ?? "hours")] ?? 1_000)),
        },
      },
    ],
  }),
  noOp: () => ({ steps: [] }),
  splitOut: ({ fieldToSplitOut }) => ({
    steps: [{ split: { simple: `\${body[${String(fieldToSplitOut ?? "")}]}`, steps: [{ log: { message: "${body}" } }] } }],
  }),
  stopAndError: ({ errorMessage }) => ({
    steps: [{ throwException: { exceptionType: "java.lang.IllegalStateException", message: String(errorMessage ?? "stopped") } }],
  }),
};

const orLogStep = (steps: readonly Step[]): readonly Step[] => (steps.length === 0 ? [{ log: { message: "${body}" } }] : steps);

function mapNode(type: string, parameters: Values, name: string, remarks: Remark[]): MappedNode {
  const mapper = mappers[type];
  const remark = (text: string): void => void remarks.push({ where: `node '${name}' (${type})`, text });
  if (mapper !== undefined) return mapper(parameters, remark, name);
  remark(/^(code|function)/.test(type) ? "contains code: rewrite it as steps or a mapping" : "has no equivalent step");
  return {
    steps: [placeholderStep(`node '${name}' (${type})`)],
    ...(type.endsWith("Trigger") ? { trigger: { uri: `direct:${name.replaceAll(/[^\w-]+/g, "-").toLowerCase()}` } } : {}),
  };
}

function schedule(interval: Values, remark: (text: string) => void): { readonly uri: string; readonly parameters: Readonly<Record<string, string>> } {
  const { field, mode, expression: cron, cronExpression } = interval;
  const cronText = cron ?? cronExpression;
  if (cronText !== undefined) return { uri: "cron:schedule", parameters: { schedule: String(cronText) } };
  const every: Readonly<Record<string, number>> = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
  const unit = String(field ?? "days");
  if (every[unit] === undefined || mode !== undefined) remark("has a schedule that cannot be converted exactly: check the period of the timer");
  const count = Number(interval[`${unit}Interval`] ?? 1);
  return { uri: "timer:schedule", parameters: { period: String(count * (every[unit] ?? 86_400_000)) } };
}

/** n8n's `={{ $json.a }}` as a Simple expression; anything but a plain path is reported. */
function expression(text: string, remark: (text: string) => void): { readonly simple: string } | { readonly constant: string } {
  if (!text.startsWith("=")) return { constant: text };
  const simple = text.slice(1).replaceAll(/\{\{\s*([^]*?)\s*\}\}/g, (_, inner: string) => {
    const path = /^\$json((?:\.\w+|\[["'][^"']+["']\]|\[\d+\])*)$/.exec(inner)?.[1];
    if (path === undefined) {
      remark(`uses '${inner}', which has no equivalent`);
      return "";
    }
    const parts = [...path.matchAll(/\.(\w+)|\[["']?([^\]"']+)["']?\]/g)].map((match) => match[1] ?? match[2]);
    const [first, ...rest] = parts;
    if (first === "body") return `\${body${rest.map((part) => `[${part}]`).join("")}}`;
    if ((first === "headers" || first === "query" || first === "params") && rest.length === 1) return `\${header.${rest[0]}}`;
    return `\${body${parts.map((part) => `[${part}]`).join("")}}`;
  });
  return { simple };
}

const operators: Readonly<Record<string, string>> = {
  equal: "==",
  equals: "==",
  notEqual: "!=",
  notEquals: "!=",
  larger: ">",
  gt: ">",
  largerEqual: ">=",
  gte: ">=",
  smaller: "<",
  lt: "<",
  smallerEqual: "<=",
  lte: "<=",
  contains: "contains",
  notContains: "!contains",
  regex: "regex",
};

function conditionOf(conditions: Values | undefined, remark: (text: string) => void): string {
  const modern = (conditions?.["conditions"] ?? []) as readonly Values[];
  const old = Object.values((conditions ?? {}) as Record<string, unknown>)
    .filter(Array.isArray)
    .flat() as readonly Values[];
  const tests = (
    modern.length > 0
      ? modern.map(({ leftValue, operator, rightValue }) => [leftValue, operator?.operation, rightValue])
      : old.map(({ value1, operation, value2 }) => [value1, operation ?? "equal", value2])
  ).map(([left, operation, right]) => {
    const sign = operators[String(operation)];
    if (sign === undefined) remark(`tests '${String(operation)}', which has no equivalent`);
    const value = typeof right === "number" || typeof right === "boolean" ? String(right) : `'${String(right ?? "").replaceAll("'", "")}'`;
    return `${String(Object.values(expression(String(left ?? ""), remark))[0])} ${sign ?? "=="} ${value}`;
  });
  return tests.length === 0 ? "${body} != null" : tests.join(conditions?.["combinator"] === "or" ? " || " : " && ");
}
