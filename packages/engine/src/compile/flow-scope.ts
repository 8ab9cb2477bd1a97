// State that all routes of a flow share during compilation and at run time.
import { closest, type EntityNode, type FormatNode, type Values } from "@sluice/model";
import { bindFields } from "./bind-fields.ts";
import { CompileError, type Lifecycle } from "../spi/compiler.ts";
import type { Connection, ConnectionBean, ConnectionRequest } from "../spi/connection.ts";
import type { BeanDeclaration, Catalog, Format, UnloadedPart } from "../spi/declaration.ts";
import type { Clock, Host } from "../spi/host.ts";
import type { RunEvents } from "./run-events.ts";
import type { RouteCalls } from "./route-calls.ts";
import type { RuntimeLimits } from "./runtime-limits.ts";
import type { beanFields } from "../entities/template-entities.ts";
import type { EndpointBinder } from "./endpoint-binder.ts";
import { classNameOf, findConnection, propertyBean } from "./find-connection.ts";
import { isClassName } from "./function-stub.ts";
import { isOperatorKind, missingBeanHint, operatorBean, type OperatorBean } from "./operator-beans.ts";
import type { TemplateLibrary } from "./template-library.ts";

export interface FlowScope {
  readonly flowId: string;
  readonly flowHash: string;
  readonly catalog: Catalog;
  readonly host: Host;
  readonly listener: RunEvents;
  readonly limits: RuntimeLimits;
  readonly endpoints: EndpointBinder;
  readonly entities: readonly EntityNode[];
  readonly beans: BeanRegistry;
  readonly formats: FormatRegistry;
  readonly templates: TemplateLibrary;
  readonly calls: RouteCalls;
  /** Values of options that are declared secret, collected while the flow is prepared. */
  readonly secrets: { add(value: string): unknown };
  /** Destinations and expressions of the flow, to distinguish endpoints written in the flow from those taken from a message. */
  readonly authored: readonly string[];
  property(name: string): string | undefined;
  propertiesUnder(prefix: string): Readonly<Record<string, string>>;
  /** Records a part that must be loaded before the flow can be compiled. */
  readonly unloaded: { add(part: UnloadedPart): unknown };
  /** The ids of the connections that are used. */
  readonly connections: Set<string>;
}

/** Dependencies of bean creation. */
export interface BeanParts {
  readonly flowId: string;
  readonly catalog: Catalog;
  readonly host: Host;
  propertiesUnder(prefix: string): Readonly<Record<string, string>>;
  readonly unloaded: { add(part: UnloadedPart): unknown };
  readonly connections: Set<string>;
}

/** Beans of the flow by name, and built-in ones by class name. Each is created once per flow. */
export class BeanRegistry {
  readonly #parts: BeanParts;
  readonly #declared = new Map<string, Values<typeof beanFields>>();
  readonly #instances = new Map<string, unknown>();
  readonly #lifecycles: Lifecycle[] = [];

  constructor(parts: BeanParts, entities: readonly EntityNode[]) {
    this.#parts = parts;
    for (const entity of entities) {
      if (entity.name !== "beans") continue;
      const bean = entity.options as Values<typeof beanFields>;
      this.#declared.set(bean.name, bean);
    }
  }

  /** Adds a bean of a templated route. Returns the bean's name, or a generated name if another bean has that name. */
  declare(bean: Bean, routeId: string): string {
    this.check(bean.type);
    let name = bean.name;
    // One route may use the same template several times, each time with other properties.
    for (let number = 1; this.#declared.has(name); number++) name = `${bean.name}-${routeId}${number === 1 ? "" : number}`;
    this.#declared.set(name, bean);
    return name;
  }

  get(reference: string, kind: string): unknown {
    const name = reference.replace(/^#(bean:)?(?!class:|type:)/, "").trim();
    const key = `${kind} ${name}`;
    if (this.#instances.has(key)) return this.#instances.get(key);
    const fromOperator = isOperatorKind(kind) ? operatorBean(classOf(name), kind, (beanName) => this.#operatorBean(beanName)) : undefined;
    const created = fromOperator ?? this.#createNamed(name, kind, reference);
    this.#instances.set(key, created);
    return created;
  }

  #createNamed(name: string, kind: string, reference: string): unknown {
    const bean = this.#declared.get(name);
    const fromProperties = bean === undefined ? propertyBean(name, this.#parts) : undefined;
    if (bean !== undefined) return this.#create(bean.type, kind, { ...argumentsOf(bean), ...bean.properties }, { name });
    if (fromProperties !== undefined) return this.#create(fromProperties.type, kind, fromProperties.properties, { name });
    return this.#create(name, kind, {}, { name, written: reference });
  }

  /**
   * The bean of this name if the operator implements it: a bean of the flow with an operator type, or an exported function or object.
   */
  #operatorBean(name: string): OperatorBean | undefined {
    const key = `operator ${name}`;
    if (this.#instances.has(key)) return this.#instances.get(key) as OperatorBean;
    const declared = this.#declared.get(name);
    const bean = declared ?? propertyBean(name, this.#parts);
    const type = bean?.type ?? name;
    const kind = this.#declarationOf(classOf(type))?.kind;
    if (kind !== "function" && kind !== "object") return undefined;
    const properties = { ...(declared === undefined ? {} : argumentsOf(declared)), ...bean?.properties };
    const found = { kind, instance: this.#create(type, kind, properties, { name }) } as OperatorBean;
    this.#instances.set(key, found);
    return found;
  }

  /** The definition of a bean in the flow. */
  describe(name: string): ConnectionBean | undefined {
    const bean = this.#declared.get(name);
    return bean === undefined ? undefined : { type: bean.type, properties: bean.properties };
  }

  names(): readonly string[] {
    return [...this.#declared.keys()];
  }

  /** Rejects a type that is not a bean, a connection class or a component class. */
  check(type: string): void {
    if (componentOf(type) !== undefined) this.#schemeOf(type);
    else if (this.#parts.host.connections?.hasClass(classNameOf(type)) !== true) this.#find(type);
  }

  /** The connector configured by a bean of a component class, with the bean's properties; undefined for any other name. */
  component(name: string): ComponentBean | undefined {
    const bean = this.#declared.get(name);
    if (bean === undefined || componentOf(bean.type) === undefined) return undefined;
    return { scheme: this.#schemeOf(bean.type), properties: bean.properties };
  }

  get lifecycles(): readonly Lifecycle[] {
    return this.#lifecycles;
  }

  #create(type: string, kind: string, properties: Readonly<Record<string, string>>, { name, written = type }: { name: string; written?: string }): unknown {
    const declaration = this.#find(type, { written, kind });
    if (declaration.kind !== kind) throw new CompileError("bean-wrong-kind", `'${type}' is not a valid ${kind.replaceAll("-", " ")}`, { value: written });
    const values =
      declaration.acceptsAnyProperty === true
        ? withPositions(properties)
        : bindFields(declaration.properties, withArguments(properties, type, declaration), `'${type}'`);
    const created = declaration.create(values as never, this.#parts.host, {
      flowId: this.#parts.flowId,
      name,
      bean: (reference, beanKind) => this.get(reference, beanKind),
      connection: (request) => this.#connection(request, name),
    });
    if (typeof created === "object" && created !== null && ("start" in created || "stop" in created)) this.#lifecycles.push(created as Lifecycle);
    return created;
  }

  #connection<C>(request: ConnectionRequest, user: string): Connection<C> {
    const connection = findConnection<C>(request, user, { ...this.#parts, flowBean: (name) => this.describe(name), flowBeanNames: () => this.names() });
    this.#lifecycles.push({ stop: () => connection.release() });
    return connection;
  }

  #schemeOf(type: string): string {
    const component = componentOf(type);
    const { connectors, refused, index } = this.#parts.catalog;
    const scheme = [...connectors.keys(), ...(index?.schemes() ?? [])].find((name) => name.replaceAll("-", "").toLowerCase() === component);
    if (scheme !== undefined) return scheme;
    const reason = [...refused].find(([name]) => name.endsWith(":") && name.slice(0, -1).replaceAll("-", "").toLowerCase() === component)?.[1];
    throw reason === undefined
      ? new CompileError("connector-unknown", `unknown connector '${component}' of the component class '${type.replace(/^#class:/, "")}'`, { value: type })
      : new CompileError("connector-refused", reason, { value: type });
  }

  #declarationOf(name: string): BeanDeclaration | undefined {
    const { beans } = this.#parts.catalog;
    return beans.get(name) ?? (isClassName(name) ? beans.get(name.slice(name.lastIndexOf(".") + 1)) : undefined);
  }

  #find(type: string, use: { readonly written?: string; readonly kind?: string } = {}): BeanDeclaration {
    const name = classOf(type);
    const { catalog, unloaded } = this.#parts;
    const found = this.#declarationOf(name);
    if (found !== undefined) return found;
    const part = { kind: "beans", name } as const;
    if (catalog.index?.isUnloaded(part) === true) {
      unloaded.add(part);
      throw new CompileError("bean-unloaded", `bean '${name}' is not loaded`, { unloaded: part });
    }
    const suggestion = closest(name, [...catalog.beans.keys()]);
    const hint = missingBeanHint(name, use.kind ?? "class", this.#ownerOf(name));
    throw new CompileError("bean-unknown", `unknown bean '${name}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`, {
      hint: suggestion === undefined ? hint : `write '${suggestion}', or ${hint}`,
      value: use.written ?? type,
    });
  }

  /** For `orders.total`, if the flow has a bean `orders`: its class and the requested method. */
  #ownerOf(name: string): { readonly type: string; readonly method: string } | undefined {
    const dot = name.lastIndexOf(".");
    const bean = dot < 0 ? undefined : this.#declared.get(name.slice(0, dot));
    return bean === undefined ? undefined : { type: classOf(bean.type), method: name.slice(dot + 1) };
  }
}

/** The name without Camel's prefixes such as `#class:`, and without arguments. */
export const classOf = (type: string): string =>
  type
    .replace(/^#(class|type|bean):/, "")
    .replace(/\(.*\)$/s, "")
    .trim();

/** Names each constructor argument by its position; properties keep their names. */
const withPositions = (properties: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [/^\((\d+)\)$/.exec(name)?.[1] ?? name, value]));

type Bean = Values<typeof beanFields>;

export interface ComponentBean {
  readonly scheme: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** Camel names the class of a component after its scheme, without hyphens: `SpringRabbitMQComponent` is that of `spring-rabbitmq`. */
function componentOf(type: string): string | undefined {
  return /^#class:[\w.]*\.component\.[\w.]*?(\w+)Component$/.exec(type.trim())?.[1]?.toLowerCase();
}

/** Temporary name of a constructor argument until its property is known. */
const argumentName = (position: number): string => `(${position})`;

function argumentsOf({ constructors }: Bean): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(constructors).map(([position, value]) => [argumentName(Number(position)), value]));
}

/** The properties merged with constructor arguments, whether given after the class name or under `constructors`. */
function withArguments(values: Readonly<Record<string, string>>, type: string, declaration: BeanDeclaration): Readonly<Record<string, string>> {
  const properties: Record<string, string> = {};
  const names = declaration.constructorProperties ?? [];
  const setArgument = (position: string, value: string): void => {
    const name = names[Number(position)];
    if (name === undefined)
      throw new CompileError(
        "bean-arguments",
        `'${type}' takes ${names.length === 0 ? "no arguments" : `at most ${names.length} argument(s): ${names.join(", ")}`}`,
        {
          hint: "set its properties instead",
          value: type,
        },
      );
    properties[name] = value;
  };
  const argumentText = /^[^(]*\((.*)\)\s*$/s.exec(type)?.[1]?.trim() ?? "";
  if (argumentText !== "") argumentText.split(",").forEach((text, position) => setArgument(String(position), unquote(text.trim())));
  for (const [name, value] of Object.entries(values)) {
    const position = /^\((\d+|NaN)\)$/.exec(name)?.[1];
    if (position === undefined) properties[name] = value;
    else setArgument(position, value);
  }
  return properties;
}

const unquote = (text: string): string => (/^(['"]).*\1$/s.test(text) ? text.slice(1, -1) : text);

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

  create(node: FormatNode, clock: Clock, outer: readonly string[] = []): Format {
    if (node.name === "custom") {
      const ref = String(node.options["ref"]);
      const named = this.#named.get(ref);
      if (named === undefined) throw new CompileError("format-unknown", `unknown data format '${ref}'`, { hint: "define it under dataFormats" });
      if (outer.includes(ref)) throw new CompileError("format-circular", `the data format '${ref}' refers to itself`, { hint: "refer to another data format" });
      return this.create(named, clock, [...outer, ref]);
    }
    const declaration = this.#catalog.formats.get(node.name);
    if (declaration === undefined) throw new CompileError("format-unknown", `unknown data format '${node.name}'`);
    return declaration.create(node.options as never, clock);
  }
}
