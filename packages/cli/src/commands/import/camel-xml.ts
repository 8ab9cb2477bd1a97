// Converts Camel's XML DSL to YAML. Camel generates both DSLs from one model, so names are the same except for those listed here.
import { parseXmlDocument, type Element } from "slimdom";
import type { ImportResult, Remark, Step } from "./import-result.ts";

const languages = new Set(
  "constant csimple datasonnet exchangeProperty groovy header hl7terser java joor jq js jsonata jsonpath language method mvel ognl python ref simple spel tokenize variable wasm xpath xquery xtokenize".split(
    " ",
  ),
);
/** Elements with one expression. */
const expressionElements = new Set(
  "expression correlationExpression completionPredicate completionTimeoutExpression completionSizeExpression handled continued retryWhile onWhen compensation completion".split(
    " ",
  ),
);
/** Repeatable elements, which become a list. */
const listElements = new Set(["when", "doCatch", "exception"]);
/** Elements with nested steps. */
const blockElements = new Set(["when", "otherwise", "doCatch", "doFinally", "onFallback"]);
/** Elements with options only. */
const optionElements = new Set(
  "redeliveryPolicy resilience4jConfiguration faultToleranceConfiguration circuitBreakerConfiguration optimisticLockRetryPolicy failoverLoadBalancer roundRobinLoadBalancer randomLoadBalancer stickyLoadBalancer topicLoadBalancer weightedLoadBalancer customLoadBalancer deadLetterChannel defaultErrorHandler noErrorHandler".split(
    " ",
  ),
);
const renamedAttributes: Readonly<Record<string, string>> = {
  strategyRef: "aggregationStrategy",
  aggregationStrategyRef: "aggregationStrategy",
  executorServiceRef: "executorService",
  onPrepareRef: "onPrepare",
  messageIdRepositoryRef: "idempotentRepository",
  propertyName: "name",
  headerName: "name",
  processorRef: "processor",
};
const droppedAttributes = new Set(["customId", "inheritErrorHandler", "xmlns", "shutdownRoute", "shutdownRunningTask"]);
const topLevel = new Set([
  "onException",
  "errorHandler",
  "intercept",
  "interceptFrom",
  "interceptSendToEndpoint",
  "onCompletion",
  "routeConfiguration",
  "restConfiguration",
]);

export function importCamelXml(text: string): ImportResult {
  const root = parseXmlDocument(text).documentElement as Element;
  const remarks: Remark[] = [];
  const routes: Step[] = [];
  const topLevelItems: Step[] = [];
  const visit = (element: Element): void => {
    const name = element.localName;
    if (name === "route") routes.push({ route: routeOf(element, topLevelItems, remarks) });
    else if (name === "routeTemplate") routes.push({ routeTemplate: templateOf(element, topLevelItems, remarks) });
    else if (topLevel.has(name)) topLevelItems.push({ [name]: stepOptions(element, remarks) });
    else if (["routes", "camelContext", "camel", "beans", "blueprint", "routeTemplates", "routeContext"].includes(name)) children(element).forEach(visit);
    else if (name === "bean") topLevelItems.push(beanOf(element));
    else remarks.push({ where: `<${name}>`, text: "has no equivalent and was omitted" });
  };
  visit(root);
  return { flow: [...topLevelItems, ...routes], remarks };
}

const children = (element: Element): readonly Element[] => element.children;
const textOf = (element: Element): string => (element.textContent ?? "").trim();

function attributesOf(element: Element): Record<string, string> {
  return Object.fromEntries(
    element.attributes
      .filter(({ name }) => !droppedAttributes.has(name) && !name.startsWith("xmlns") && !name.includes(":"))
      .map(({ name, value }) => [renamedAttributes[name] ?? name, value]),
  );
}

function routeOf(element: Element, topLevelItems: Step[], remarks: Remark[]): Step {
  const from = children(element).find(({ localName }) => localName === "from");
  const steps: Step[] = [];
  const options: Record<string, unknown> = attributesOf(element);
  for (const child of children(element)) {
    const name = child.localName;
    if (name === "from") continue;
    if (name === "description") options["description"] = textOf(child);
    else if (topLevel.has(name)) {
      topLevelItems.push({ [name]: stepOptions(child, remarks) });
      remarks.push({
        where: `<${name}> in route '${String(options["id"] ?? "")}'`,
        text: "now applies to every route of the flow: move routes with other rules to a separate flow",
      });
    } else steps.push(stepOf(child, remarks));
  }
  if (from === undefined) remarks.push({ where: `route '${String(options["id"] ?? "")}'`, text: "has no <from>" });
  return { ...options, from: { ...(from === undefined ? { uri: "direct:missing" } : attributesOf(from)), steps } };
}

function templateOf(element: Element, topLevelItems: Step[], remarks: Remark[]): Step {
  const parameters = children(element)
    .filter(({ localName }) => localName === "templateParameter")
    .map(attributesOf);
  const route = children(element).find(({ localName }) => localName === "route");
  return {
    ...attributesOf(element),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route === undefined ? {} : { route: routeOf(route, topLevelItems, remarks) }),
  };
}

function beanOf(element: Element): Step {
  const properties = children(element).filter(({ localName }) => localName === "property");
  return {
    beans: [
      {
        name: element.getAttribute("id") ?? element.getAttribute("name") ?? "",
        type: element.getAttribute("class") ?? element.getAttribute("type") ?? "",
        ...(properties.length === 0
          ? {}
          : {
              properties: Object.fromEntries(
                properties.map((property) => [
                  property.getAttribute("name") ?? property.getAttribute("key") ?? "",
                  property.getAttribute("value") ?? textOf(property),
                ]),
              ),
            }),
      },
    ],
  };
}

function stepOf(element: Element, remarks: Remark[]): Step {
  return { [element.localName]: stepOptions(element, remarks) };
}

function stepOptions(element: Element, remarks: Remark[]): Record<string, unknown> {
  const options: Record<string, unknown> = attributesOf(element);
  const steps: Step[] = [];
  for (const child of children(element)) {
    const name = child.localName;
    if (name === "description") options["description"] = textOf(child);
    else if (name === "exception") options["exception"] = [...((options["exception"] ?? []) as string[]), textOf(child)];
    else if (name === "setHeader" && element.localName === "setHeaders")
      options["headers"] = [...((options["headers"] ?? []) as Step[]), stepOptions(child, remarks)];
    else if (languages.has(name) && element.localName !== "marshal" && element.localName !== "unmarshal") options[name] = expressionOf(child);
    else if (expressionElements.has(name)) options[name] = expressionElement(child);
    else if (listElements.has(name)) options[name] = [...((options[name] ?? []) as Step[]), stepOptions(child, remarks)];
    else if (
      blockElements.has(name) ||
      optionElements.has(name) ||
      element.localName === "marshal" ||
      element.localName === "unmarshal" ||
      element.localName === "errorHandler"
    )
      options[name] = stepOptions(child, remarks);
    else steps.push(stepOf(child, remarks));
  }
  if (steps.length > 0) options["steps"] = steps;
  return options;
}

function expressionElement(element: Element): unknown {
  const inner = children(element).find(({ localName }) => languages.has(localName));
  return inner === undefined ? attributesOf(element) : { [inner.localName]: expressionOf(inner) };
}

function expressionOf(element: Element): unknown {
  const options = attributesOf(element);
  const text = textOf(element);
  if (Object.keys(options).length === 0) return text;
  return text === "" ? options : { expression: text, ...options };
}
