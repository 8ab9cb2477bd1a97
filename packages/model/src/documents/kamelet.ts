// A Kamelet file (`kind: Kamelet`): a route template with described parameters.
import type { Diagnostic } from "../flow/diagnostic.ts";
import type { Span } from "../flow/span.ts";
import type { MapTree, Tree } from "../flow/tree.ts";
import { entriesOf, itemsOf, list, map, scalar, textOf, valueOf } from "./tree-parts.ts";

export interface KameletParameter {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** `string`, `integer`, `number`, `boolean`, … as the Kamelet declares it. */
  readonly type: string;
  readonly default: string | undefined;
  readonly example: string | undefined;
  readonly values: readonly string[] | undefined;
  readonly required: boolean;
  readonly secret: boolean;
  /** The group of `urn:camel:group:…`, such as `credentials`. */
  readonly group: string | undefined;
}

export interface Kamelet {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** `source`, `sink` or `action`: the value of its label; without a label, derived from the `from` of its template. */
  readonly type: string;
  readonly parameters: readonly KameletParameter[];
  /** Its route template: `id`, `parameters`, `beans`, and `from` or `route`. */
  readonly template: MapTree;
}

/** The Kamelet in a document, or the error in it. */
export function readKamelet(tree: Tree): Kamelet | Diagnostic {
  const spec = valueOf(tree, "spec");
  const metadata = valueOf(tree, "metadata");
  const name = textOf(valueOf(metadata, "name"));
  // In v1alpha1, `template` is named `flow`.
  const template = valueOf(spec, "template") ?? valueOf(spec, "flow");
  if (textOf(valueOf(tree, "kind")) !== "Kamelet") return fault("kamelet-invalid", "the document is not a Kamelet", tree.span, "add kind: Kamelet");
  if (name === undefined) return fault("kamelet-invalid", "the Kamelet has no name", tree.span, "add metadata: {name: …}");
  const body = template === undefined ? undefined : bodyOf(template);
  if (template === undefined || body === undefined)
    return fault("kamelet-invalid", `the Kamelet '${name}' has no template with 'from' or 'route'`, (template ?? tree).span, "add spec.template.from");
  const definition = valueOf(spec, "definition");
  const parameters = parametersOf(definition);
  const members = {
    id: scalar(name, template.span),
    parameters: list(parameters.map(parameterTree), template.span),
    beans: valueOf(template, "beans"),
    ...body,
  };
  return {
    name,
    title: textOf(valueOf(definition, "title")),
    description: textOf(valueOf(definition, "description")),
    type: textOf(valueOf(valueOf(metadata, "labels"), "camel.apache.org/kamelet.type")) ?? typeOf(body),
    parameters: parameters.map(({ span: _, ...parameter }) => parameter),
    template: map(members, template.span),
  };

  function parameterTree({ name: parameter, default: defaultValue, required, span }: LocatedParameter): MapTree {
    return map(
      {
        name: scalar(parameter, span),
        defaultValue: defaultValue === undefined ? undefined : scalar(defaultValue, span),
        required: scalar(String(required), span),
      },
      span,
    );
  }
}

type LocatedParameter = KameletParameter & { readonly span: Span };

function parametersOf(definition: Tree | undefined): readonly LocatedParameter[] {
  const required = new Set(itemsOf(valueOf(definition, "required")).map(textOf));
  return entriesOf(valueOf(definition, "properties")).map(({ key, keySpan, value }) => {
    const descriptors = itemsOf(valueOf(value, "x-descriptors")).map((item) => textOf(item) ?? "");
    const values = itemsOf(valueOf(value, "enum")).flatMap((item) => textOf(item) ?? []);
    const defaultValue = textOf(valueOf(value, "default"));
    return {
      name: key,
      title: textOf(valueOf(value, "title")),
      description: textOf(valueOf(value, "description")),
      type: textOf(valueOf(value, "type")) ?? "string",
      default: defaultValue,
      example: textOf(valueOf(value, "example")),
      values: values.length === 0 ? undefined : values,
      required: required.has(key) && defaultValue === undefined,
      secret: textOf(valueOf(value, "format")) === "password" || descriptors.includes("urn:alm:descriptor:com.tectonic.ui:password"),
      group: descriptors.find((descriptor) => descriptor.startsWith("urn:camel:group:"))?.slice("urn:camel:group:".length),
      span: keySpan,
    };
  });
}

interface TemplateBody {
  readonly from?: Tree | undefined;
  readonly route?: Tree | undefined;
}

/** In older Kamelets `steps` is next to `from`, and `from` may be a plain URI. */
function bodyOf(template: Tree): TemplateBody | undefined {
  const route = valueOf(template, "route");
  if (route !== undefined) return { route };
  const from = valueOf(template, "from");
  if (from === undefined) return undefined;
  const steps = valueOf(template, "steps");
  const fromMap = from.type === "scalar" ? map({ uri: from }, from.span) : from;
  if (steps === undefined || fromMap.type !== "map") return { from: fromMap };
  return { from: { ...fromMap, entries: [...fromMap.entries, { key: "steps", keySpan: steps.span, value: steps }] } };
}

function typeOf({ from, route }: TemplateBody): string {
  return textOf(valueOf(from ?? valueOf(route, "from"), "uri"))?.startsWith("kamelet:source") === true ? "action" : "source";
}

function fault(code: string, message: string, span: Span, hint: string): Diagnostic {
  return { code, severity: "error", message, path: "", span, hint };
}
