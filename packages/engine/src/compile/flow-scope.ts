// What all routes of one flow share while they are compiled and while they live.
import type { EntityNode, FormatNode, Values } from "@sluice/model";
import { CompileError, type Lifecycle } from "../spi/compiler.ts";
import type { BeanDeclaration, Catalog, Format } from "../spi/declaration.ts";
import type { Host } from "../spi/host.ts";
import type { RunListener, RuntimeLimits } from "../run/runtime.ts";
import type { beanFields } from "../entities/template-entities.ts";
import type { EndpointBinder } from "./endpoint-binder.ts";
import type { TemplateLibrary } from "./template-library.ts";
import { closest as nearestName } from "@sluice/model";

export interface FlowScope {
  readonly flowId: string;
  readonly flowHash: string;
  readonly catalog: Catalog;
  readonly host: Host;
  readonly listener: RunListener;
  readonly limits: RuntimeLimits;
  readonly endpoints: EndpointBinder;
  readonly beans: BeanRegistry;
  readonly formats: FormatRegistry;
  readonly templates: TemplateLibrary;
  /** Destinations and expression texts of the flow, for telling the author's endpoints from a message's. */
  readonly authored: readonly string[];
  property(name: string): string | undefined;
}

/** Beans of the flow by name, and built-in ones by class name. Each is made once per flow. */
export class BeanRegistry {
  readonly #catalog: Catalog;
  readonly #host: Host;
  readonly #declared = new Map<string, Values<typeof beanFields>>();
  readonly #made = new Map<string, unknown>();
  readonly #lifecycles: Lifecycle[] = [];

  constructor(catalog: Catalog, host: Host, entities: readonly EntityNode[]) {
    this.#catalog = catalog;
    this.#host = host;
    for (const entity of entities) {
      if (entity.name !== "beans") continue;
      const bean = entity.options as Values<typeof beanFields>;
      this.#declared.set(bean.name, bean);
    }
  }

  get(reference: string, kind: string): unknown {
    const name = reference.replace(/^#(bean:)?(?!class:|type:)/, "").trim();
    const key = `${kind} ${name}`;
    if (this.#made.has(key)) return this.#made.get(key);
    const bean = this.#declared.get(name);
    const made = bean === undefined ? this.#make(name, kind, {}, reference) : this.#make(bean.type, kind, bean.properties);
    this.#made.set(key, made);
    return made;
  }

  /** Refuses a type nobody knows. */
  check(type: string): void {
    this.#find(type);
  }

  get lifecycles(): readonly Lifecycle[] {
    return this.#lifecycles;
  }

  #make(type: string, kind: string, properties: Readonly<Record<string, string>>, written = type): unknown {
    const declaration = this.#find(type, written);
    if (declaration.kind !== kind) throw new CompileError("bean-wrong-kind", `'${type}' is no ${kind.replaceAll("-", " ")}`, { value: written });
    const values: Record<string, unknown> = {};
    for (const name of Object.keys(properties)) {
      if (!Object.hasOwn(declaration.properties, name)) throw new CompileError("option-unknown", `'${type}' has no property '${name}'`);
    }
    for (const [name, field] of Object.entries(declaration.properties as Readonly<Record<string, import("@sluice/model").Field<unknown>>>)) {
      const parsed = field.safeParse(Object.hasOwn(properties, name) ? properties[name] : undefined);
      if (!parsed.success) throw new CompileError("option-invalid", `property '${name}' of '${type}': ${parsed.error.issues[0]?.message ?? "is wrong"}`);
      values[name] = parsed.data;
    }
    const made = declaration.create(values as never, this.#host);
    if (typeof made === "object" && made !== null && ("start" in made || "stop" in made)) this.#lifecycles.push(made as Lifecycle);
    return made;
  }

  #find(type: string, written = type): BeanDeclaration {
    const name = type
      .replace(/^#(class|type|bean):/, "")
      .replace(/\(.*\)$/, "")
      .trim();
    const found = this.#catalog.beans.get(name) ?? this.#catalog.beans.get(name.slice(name.lastIndexOf(".") + 1));
    if (found !== undefined) return found;
    const near = nearestName(name, [...this.#catalog.beans.keys()]);
    throw new CompileError("bean-unknown", `no bean '${name}'${near === undefined ? "" : ` (did you mean '${near}'?)`}`, {
      hint: "define it under beans, or use one of the built-in names",
      value: written,
    });
  }
}

/** Data formats: built in, or named under dataFormats and used as `custom`. */
export class FormatRegistry {
  readonly #catalog: Catalog;
  readonly #named = new Map<string, FormatNode>();

  constructor(catalog: Catalog, entities: readonly EntityNode[]) {
    this.#catalog = catalog;
    for (const entity of entities) {
      if (entity.name !== "dataFormats") continue;
      const { id, format } = entity.options as { id?: string; format: FormatNode };
      const name = id ?? (format.options["id"] as string | undefined);
      if (name !== undefined) this.#named.set(name, format);
    }
  }

  create(node: FormatNode): Format {
    if (node.name === "custom") {
      const ref = String(node.options["ref"]);
      const named = this.#named.get(ref);
      if (named === undefined) throw new CompileError("format-unknown", `no data format '${ref}'`, { hint: "define it under dataFormats" });
      return this.create(named);
    }
    const declaration = this.#catalog.formats.get(node.name);
    if (declaration === undefined) throw new CompileError("format-unknown", `unknown data format '${node.name}'`);
    return declaration.create(node.options as never);
  }
}
