// Checks the route templates of a flow as routes, even unused ones. Whatever depends on a parameter's value is checked when the template is
// used.
import type { Diagnostic, Span, Tree } from "@sluice/model";
import { DiagnosticSink } from "../compile/diagnostics.ts";
import { RouteCalls } from "../compile/route-calls.ts";
import { BeanRegistry, FormatRegistry } from "../compile/flow-scope.ts";
import type { RouteScope } from "./route-scope.ts";
import { prepareRoute } from "./prepare-route.ts";
import type { TemplateSample } from "../compile/template-library.ts";

export function checkTemplates(scope: RouteScope, source: string, diagnostics: DiagnosticSink): void {
  const newBeans = (): BeanRegistry => new BeanRegistry(scope, scope.entities);
  for (const sample of scope.templates.samples(newBeans)) {
    const values = new Map<number, Span>();
    collectValues(sample.tree, values);
    const hasPlaceholder = ({ start, end }: Span): boolean => source.slice(start, end).includes("{{");
    // Errors in a step or an option are placed at its name; check its value for placeholders.
    const dependsOnParameter = ({ code, span }: Diagnostic): boolean =>
      !alwaysReported.has(code) &&
      (hasPlaceholder(span) || hasPlaceholder(values.get(span.start) ?? span)) &&
      !(code === "endpoint-option-invalid" && usesDefault(values.get(span.start) ?? span));
    /** True if the value is a single parameter that has a default. An invalid default is an error in the template itself, so it is reported. */
    const usesDefault = ({ start, end }: Span): boolean => {
      const [, name] = /^["']?\{\{\s*([\w.-]+)\s*\}\}["']?$/.exec(source.slice(start, end).trim()) ?? [];
      return name !== undefined && sample.defaults.has(name);
    };
    for (const { routeId: _, ...fault } of [...sample.diagnostics, ...compile(sample, scope, source)].filter((found) => !dependsOnParameter(found))) {
      const isReported = diagnostics.found.some((other) => other.code === fault.code && other.span.start === fault.span.start);
      if (!isReported) diagnostics.found.push(fault);
    }
  }
}

/** A placeholder value never forms a scheme or the name of a database or of a property, so these errors do not depend on a parameter. */
const alwaysReported: ReadonlySet<string> = new Set(["connector-unknown", "connector-refused", "connection-database", "kafka-property"]);

function compile({ route, diagnostics, beans }: TemplateSample, scope: RouteScope, source: string): readonly Diagnostic[] {
  if (route === undefined) return [];
  const sink = new DiagnosticSink(source, diagnostics);
  // Separate registries: everything created here is discarded and must never start.
  const templateScope = { ...scope, beans, formats: new FormatRegistry(scope.catalog, scope.entities), calls: new RouteCalls() };
  sink.attempt(
    { span: route.from.span },
    () => {
      const expanded = scope.templates.withSource(route);
      void prepareRoute(expanded, { routes: [expanded], entities: [], source }, templateScope, sink);
    },
    undefined,
  );
  return sink.found;
}

/** The span of each value, by the start of its key. */
function collectValues(tree: Tree, values: Map<number, Span>): void {
  if (tree.type === "list") for (const item of tree.items) collectValues(item, values);
  if (tree.type !== "map") return;
  const uri = tree.entries.find(({ key }) => key === "uri");
  const parameters = tree.entries.find(({ key }) => key === "parameters");
  // Errors in an endpoint are reported at its URI, even for an invalid parameter.
  if (uri !== undefined && parameters !== undefined) values.set(uri.value.span.start, parameters.value.span);
  for (const { keySpan, value } of tree.entries) {
    values.set(keySpan.start, value.span);
    collectValues(value, values);
  }
}
