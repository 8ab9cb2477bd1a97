// Routes that are not written out: those made from templates.
import type { FlowDocument, RouteNode, Vocabulary } from "@sluice/model";
import type { FlowInput } from "../run/runtime.ts";
import type { DiagnosticSink } from "./diagnostics.ts";
import type { FlowScope } from "./flow-scope.ts";

export function expandRoutes(
  flow: FlowDocument,
  _scope: FlowScope,
  _vocabulary: Vocabulary,
  _diagnostics: DiagnosticSink,
  _input: FlowInput,
): readonly RouteNode[] {
  return flow.routes;
}
