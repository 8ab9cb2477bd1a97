// Converts documents of Camel's Kubernetes kinds to flows. A flow is a list; these are mappings with `kind`.
import type { Diagnostic } from "../flow/diagnostic.ts";
import type { Tree } from "../flow/tree.ts";
import { readKamelet } from "./kamelet.ts";
import { pipeItems } from "./pipe.ts";
import { propertiesOf } from "./document-properties.ts";
import { itemsOf, list, map, textOf, valueOf } from "./tree-parts.ts";

export interface FlowTree {
  readonly tree: Tree;
  /** Values of `{{name}}` that the document itself defines. */
  readonly properties: ReadonlyMap<string, string>;
  readonly diagnostics: readonly Diagnostic[];
}

const kinds = ["Integration", "Pipe", "KameletBinding", "Kamelet"] as const;

/** The routes and entities of a document; a document of another kind is returned unchanged. */
export function asFlowTree(document: Tree): FlowTree {
  const kind = camelKind(document);
  if (kind === undefined) return { tree: document, properties: new Map(), diagnostics: [] };
  const diagnostics: Diagnostic[] = [];
  const report = (fault: Diagnostic): void => void diagnostics.push(fault);
  const items = kind === "Kamelet" ? kameletItems(document, report) : kind === "Integration" ? integrationItems(document, report) : pipeItems(document, report);
  return { tree: list(items, document.span), properties: propertiesOf(document), diagnostics };
}

/** `Integration`, `Pipe`, `KameletBinding` or `Kamelet`; undefined for anything else. */
export function camelKind(document: Tree): (typeof kinds)[number] | undefined {
  if (textOf(valueOf(document, "apiVersion"))?.startsWith("camel.apache.org/") !== true) return undefined;
  const kind = textOf(valueOf(document, "kind"));
  return kinds.find((candidate) => candidate === kind);
}

function kameletItems(document: Tree, report: (fault: Diagnostic) => void): readonly Tree[] {
  const kamelet = readKamelet(document);
  if ("code" in kamelet) {
    report(kamelet);
    return [];
  }
  return [map({ routeTemplate: kamelet.template }, kamelet.template.span)];
}

function integrationItems(document: Tree, report: (fault: Diagnostic) => void): readonly Tree[] {
  const spec = valueOf(document, "spec");
  const sources = itemsOf(valueOf(spec, "sources"));
  for (const source of sources)
    report({
      code: "integration-source",
      severity: "error",
      message: `the source '${textOf(valueOf(source, "name")) ?? ""}' of the integration is program code, which Sluice does not run`,
      path: "",
      span: source.span,
      hint: "write its routes in YAML under spec.flows",
    });
  const flows = itemsOf(valueOf(spec, "flows"));
  if (flows.length === 0 && sources.length === 0)
    report({ code: "flow-empty", severity: "error", message: "the integration has no flows", path: "", span: (spec ?? document).span, hint: "add spec.flows" });
  return flows;
}
