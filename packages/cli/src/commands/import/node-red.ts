// Imports exported Node-RED flows.
import { UsageError } from "../../command/declaration.ts";
import { routesOfGraph, type GraphNode } from "./graph-routes.ts";
import { placeholderStep, type ImportResult, type Remark, type Step } from "./import-result.ts";

type Node = Readonly<Record<string, any>>;
type MappedNode = Pick<GraphNode, "steps"> & Partial<Pick<GraphNode, "trigger" | "branch">>;

const ignoredTypes = new Set(["tab", "comment", "group", "subflow"]);

export function importNodeRed(text: string): ImportResult {
  const nodes = JSON.parse(text) as readonly Node[];
  if (!Array.isArray(nodes)) throw new UsageError("not a Node-RED export: a list of nodes is required");
  const remarks: Remark[] = [];
  const wiredNodes = nodes.filter((node) => Array.isArray(node["wires"]) && !ignoredTypes.has(node["type"]));
  const linkIn = new Map(wiredNodes.filter(({ type }) => type === "link in").map((node) => [node["id"] as string, node]));
  const graph = wiredNodes.map((node): GraphNode => {
    const links = node["type"] === "link out" ? ((node["links"] ?? []) as string[]).filter((id) => linkIn.has(id)) : [];
    const name = String(node["name"] || `${node["type"]} ${String(node["id"]).slice(0, 4)}`);
    return { id: node["id"], name, outputs: links.length > 0 ? [links] : node["wires"], ...mapNode(node, name, remarks) };
  });
  const flow = routesOfGraph(graph);
  if (flow.length === 0) remarks.push({ where: "the flow", text: "has no node that starts a route: http in, inject or link in" });
  return { flow, remarks };
}

const mappers: Readonly<Record<string, (node: Node, remark: (text: string) => void) => MappedNode>> = {
  "http in": ({ url, method }) => ({
    trigger: { uri: `platform-http:${String(url).replaceAll(/:(\w+)/g, "{$1}")}`, parameters: { httpMethodRestrict: String(method ?? "get").toUpperCase() } },
    steps: [],
  }),
  "http response": ({ statusCode }) => ({ steps: statusCode ? [{ setHeader: { name: "CamelHttpResponseCode", constant: String(statusCode) } }] : [] }),
  inject: (node, remark) => ({ trigger: injectTrigger(node), steps: injectSteps(node, remark) }),
  "link in": () => ({ steps: [] }),
  "link out": () => ({ steps: [] }),
  debug: ({ complete }) => ({ steps: [{ log: { message: complete === "true" ? "${body} ${headers}" : "${body}" } }] }),
  json: ({ action }) => ({ steps: [action === "str" ? { marshal: { json: {} } } : { unmarshal: { json: {} } }] }),
  csv: () => ({ steps: [{ unmarshal: { csv: { useMaps: "true" } } }] }),
  yaml: () => ({ steps: [{ unmarshal: { yaml: {} } }] }),
  split: () => ({ steps: [{ split: { simple: "${body}", steps: [{ log: { message: "${body}" } }] } }] }),
  template: ({ template, field }) => ({ steps: [set(String(field ?? "payload"), { simple: mustache(String(template ?? "")) })] }),
  delay: ({ pauseType, timeout, timeoutUnits, rate }) => ({
    steps: [
      pauseType === "rate"
        ? { throttle: { constant: String(rate ?? 1) } }
        : { delay: { constant: String(Number(timeout ?? 0) * (units[timeoutUnits as string] ?? 1_000)) } },
    ],
  }),
  "http request": ({ url, method }, remark) => {
    if (!url || method === "use") remark("reads its address or method from the message: set them in the step");
    return { steps: [{ to: { uri: url || "http://example.invalid", parameters: { httpMethod: method === "use" ? "GET" : String(method ?? "GET") } } }] };
  },
  file: ({ filename, overwriteFile }, remark) => {
    const path = String(filename ?? "");
    if (path === "") remark("reads the file name from the message: set it in the step");
    const lastSlash = path.lastIndexOf("/");
    return {
      steps: [
        {
          to: {
            uri: `file:${lastSlash < 0 ? "." : path.slice(0, lastSlash)}`,
            parameters: { fileName: path.slice(lastSlash + 1) || "out.txt", fileExist: overwriteFile === "false" ? "Append" : "Override" },
          },
        },
      ],
    };
  },
  change: ({ rules }, remark) => ({ steps: ((rules ?? []) as readonly Node[]).flatMap((rule) => changeStep(rule, remark)) }),
  switch: switchNode,
};

const units: Readonly<Record<string, number>> = { milliseconds: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

function mapNode(node: Node, name: string, remarks: Remark[]): MappedNode {
  const mapper = mappers[node["type"] as string];
  const remark = (text: string): void => void remarks.push({ where: `node '${name}' (${node["type"]})`, text });
  if (mapper !== undefined) return mapper(node, remark);
  remark(node["type"] === "function" ? "contains code: rewrite it as steps or a mapping" : "has no equivalent step");
  return { steps: [placeholderStep(`node '${name}' (${node["type"]})`)] };
}

function injectTrigger({ id, repeat, crontab, once }: Node): { readonly uri: string; readonly parameters?: Readonly<Record<string, string>> } {
  if (crontab) return { uri: `cron:${id}`, parameters: { schedule: String(crontab) } };
  if (repeat) return { uri: `timer:${id}`, parameters: { period: `${Number(repeat) * 1_000}` } };
  return once === true ? { uri: `timer:${id}`, parameters: { repeatCount: "1" } } : { uri: `direct:${id}` };
}

function injectSteps({ payload, payloadType }: Node, remark: (text: string) => void): readonly Step[] {
  if (payloadType === "date" || payloadType === undefined)
    return payloadType === "date" ? [{ setBody: { simple: "${date:now:yyyy-MM-dd'T'HH:mm:ss.SSSX}" } }] : [];
  if (["str", "num", "bool", "json"].includes(payloadType)) return payload === "" ? [] : [{ setBody: { constant: String(payload) } }];
  remark(`injects a ${payloadType}, which has no equivalent`);
  return [];
}

/** `msg.payload.a.b` as a Simple expression. */
function property(path: string): string {
  const parts = path
    .replace(/^msg\./, "")
    .replaceAll(/\[["']?([^\]"']+)["']?\]/g, ".$1")
    .split(".");
  const [first, ...rest] = parts;
  if (first === "payload") return `\${body${rest.map((part) => `[${part}]`).join("")}}`;
  if (first === "headers" || (first === "req" && rest.length > 1)) return `\${header.${parts.at(-1)}}`;
  return `\${header.${parts.join(".")}}`;
}

function set(target: string, expression: Step): Step {
  const path = target.replace(/^msg\./, "");
  if (path === "payload") return { setBody: expression };
  return { setHeader: { name: path === "statusCode" ? "CamelHttpResponseCode" : path.replace(/^headers\./, ""), ...expression } };
}

const mustache = (text: string): string => text.replaceAll(/\{\{\{?\s*([^}\s]+)\s*\}?\}\}/g, (_, path: string) => property(path));

function changeStep(rule: Node, remark: (text: string) => void): readonly Step[] {
  const { t, p, pt, to, tot } = rule;
  if (t === "set" && (pt ?? "msg") === "msg" && !String(p).startsWith("payload.")) {
    if (tot === "msg") return [set(String(p), { simple: property(String(to)) })];
    if (["str", "num", "bool", "json", undefined].includes(tot)) return [set(String(p), { constant: String(to) })];
  }
  if (t === "delete" && p !== "payload") return [{ removeHeader: { name: String(p).replace(/^headers\./, "") } }];
  remark(`does '${t} ${p}', which has no equivalent: use a message mapping`);
  return [placeholderStep(`change '${t} ${p}'`)];
}

const operators: Readonly<Record<string, (left: string, value: string) => string>> = {
  eq: (left, value) => `${left} == ${value}`,
  neq: (left, value) => `${left} != ${value}`,
  lt: (left, value) => `${left} < ${value}`,
  lte: (left, value) => `${left} <= ${value}`,
  gt: (left, value) => `${left} > ${value}`,
  gte: (left, value) => `${left} >= ${value}`,
  cont: (left, value) => `${left} contains ${value}`,
  regex: (left, value) => `${left} regex ${value}`,
  null: (left) => `${left} == null`,
  nnull: (left) => `${left} != null`,
  true: (left) => `${left} == true`,
  false: (left) => `${left} == false`,
};

function switchNode({ property: path, rules, checkall }: Node, remark: (text: string) => void): MappedNode {
  const left = property(String(path ?? "payload"));
  const list = (rules ?? []) as readonly Node[];
  if (checkall === "true" && list.length > 1) remark("sends the message to every matching output; here only the first match is used");
  return {
    steps: [],
    branch(branches) {
      const when: Step[] = [];
      let otherwise: Step | undefined;
      list.forEach(({ t, v, vt }, index) => {
        const steps = branches[index] ?? [];
        const inner = steps.length === 0 ? [{ log: { message: "${body}" } }] : steps;
        const value = vt === "num" ? String(v) : vt === "msg" ? property(String(v)) : `'${String(v ?? "").replaceAll("'", "")}'`;
        if (t === "else") otherwise = { steps: inner };
        else if (operators[t as string] !== undefined)
          when.push({ simple: (operators[t as string] as (l: string, v: string) => string)(left, value), steps: inner });
        else remark(`tests '${t}', which has no equivalent`);
      });
      return when.length === 0 ? placeholderStep("switch without a convertible rule") : { choice: { when, ...(otherwise === undefined ? {} : { otherwise }) } };
    },
  };
}
