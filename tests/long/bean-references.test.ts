// Every option that names a bean, found by trying: `name`, `#name` and `#bean:name` are one bean of the document, whichever option names it.
import { beanIndex, connectorIndex, connectors } from "@sluice/connectors";
import { createRuntime, type ConnectionLookup, type Prepared } from "@sluice/engine";
import { defineBean, type BeanDeclaration, type ConnectorDeclaration } from "@sluice/engine/spi";
import { describe as about, f, type Field, type Fields } from "@sluice/model";
import { catalogOf, FakeHost } from "@sluice/testkit";
import { expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { requiredOf, scalarOptions, sampleText, type Sample } from "../sample-options.ts";

const bean = "walked";
const spellings = [bean, `#${bean}`, `#bean:${bean}`];

const loaded = await Promise.all(connectorIndex.map((entry) => entry.load({})));
const allConnectors = [...new Set<ConnectorDeclaration>([...connectors, ...loaded])];
const loadedBeans = await Promise.all(beanIndex.map((entry) => entry.load()));
const members = { title: "Walked", summary: "Counts its instances.", group: "test", since: "0.1", properties: {} } as const;

/** A bean of a kind that no option takes: the error of an option that looks the bean up names the kind it takes. */
const ofNoKind = defineBean({ ...members, names: ["com.walked.None"], kind: "none" as BeanDeclaration["kind"], create: () => ({}) });

interface Walked {
  readonly prepared: Prepared;
  /** The bean's instances that were created. */
  readonly instances: number;
  /** The connections that were requested, by the bean of the flow that the reference names. */
  readonly lookups: readonly ConnectionLookup[];
}

function prepare(document: unknown, type: BeanDeclaration): Walked {
  let instances = 0;
  const lookups: ConnectionLookup[] = [];
  const counted = { ...type, create: () => ({ count: ++instances, aggregate: () => undefined, methods: new Map() }) } as BeanDeclaration;
  const host = Object.assign(new FakeHost(), {
    connections: {
      find(lookup: ConnectionLookup) {
        lookups.push(lookup);
        return {
          id: lookup.reference ?? "default",
          client: () => Promise.reject(new Error("closed")),
          invalidate: () => undefined,
          watch: () => () => undefined,
          release: () => undefined,
        };
      },
      hasClass: () => false,
    },
  });
  const ignore = (): void => undefined;
  const listener = { started: ignore, ended: ignore, retrying: ignore, routeChanged: ignore };
  const source = stringify([{ beans: [{ name: bean, type: `#class:${type.names[0]}` }] }, ...(document as readonly unknown[])]);
  const runtime = createRuntime({ catalog: catalogOf(allConnectors, [...loadedBeans, counted]), host: host as never, listener });
  return { prepared: runtime.prepare({ id: "f", hash: "0", source, property: () => undefined }), instances, lookups };
}

/** A place for a reference: a document that differs only in the reference. */
interface Place {
  readonly label: string;
  readonly field?: Field<unknown>;
  write(reference: string): readonly unknown[];
}

const route = (step: unknown): readonly unknown[] => [{ route: { id: "r", from: { uri: "direct:a", steps: [step] } } }];

function placed(container: Sample, path: readonly (string | number)[], reference: string, siblings: Readonly<Record<string, string>>): Sample {
  const copy = structuredClone(container) as any;
  const parent = path.slice(0, -1).reduce((inner, key) => (inner[key] ??= {}), copy);
  return Object.assign(parent, siblings, { [path.at(-1) as string]: reference }) && copy;
}

/** Only an option whose declaration mentions what beans are used for can need another option before it is looked up. */
const mentionsBean = /\bbeans?\b|function|repository|strategy|comparator|policy/i;

/** The option alone, and for candidates beside every value of each choice in the same mapping. */
function* siblingsOf(field: Field<unknown>, neighbours: Fields): Generator<Readonly<Record<string, string>>> {
  yield {};
  if (!mentionsBean.test(about(field).spec.doc)) return;
  for (const [name, neighbour] of Object.entries(neighbours)) {
    const { kind, spec, values = [] } = about(neighbour);
    if (spec.unsupported !== undefined) continue;
    for (const value of kind === "boolean" ? ["true", "false"] : values) yield { [name]: value };
    if (kind === "string" && neighbour !== field) yield { [name]: sampleText(neighbour) };
  }
}

function* placesOf(label: string, fields: Fields, containers: readonly Sample[], write: (options: Sample) => readonly unknown[]): Generator<Place> {
  for (const { path, field, container } of scalarOptions(fields)) {
    const { kind, spec } = about(field);
    if (kind !== "string" || spec.unsupported !== undefined) continue;
    for (const base of [container, ...containers.map((example) => ({ ...(example as object), ...(path.length > 1 ? (container as object) : {}) }) as Sample)])
      for (const siblings of siblingsOf(field, path.length === 1 ? fields : {}))
        yield {
          label: `${label}.${path.filter((part) => part !== 0).join(".")}`,
          field,
          write: (reference) => write(placed(base, path, reference, siblings)),
        };
  }
}

/** The options of a step in its examples. */
function examplesOf(name: string, examples: readonly { readonly yaml: string }[]): readonly Sample[] {
  const found: Sample[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === name && typeof inner === "object" && !Array.isArray(inner)) found.push(inner as Sample);
      visit(inner);
    }
  };
  for (const { yaml } of examples) visit(parse(yaml));
  return found;
}

const catalog = catalogOf(allConnectors, loadedBeans);

function* everyPlace(): Generator<Place> {
  for (const step of catalog.steps.values())
    yield* placesOf(step.name, step.options as Fields, examplesOf(step.name, step.examples ?? []), (options) => route({ [step.name]: options }));
  for (const language of catalog.languages.values()) {
    const text = { [language.textKey ?? "expression"]: "x" };
    yield* placesOf(language.name, { ...language.options, [language.textKey ?? "expression"]: f.string({ doc: "The text." }) }, [text], (options) =>
      route({ setBody: { [language.name]: options } }),
    );
    for (const script of [(name: string) => name, (name: string) => `\${bean:${name}}`, (name: string) => `\${function(${name})}`])
      yield { label: `${language.name}: ${script("…")}`, write: (reference) => route({ setBody: { [language.name]: script(reference) } }) };
  }
  for (const format of catalog.formats.values())
    yield* placesOf(format.name, format.options as Fields, [], (options) => route({ marshal: { [format.name]: options } }));
  for (const entity of catalog.entities.values())
    if (entity.raw !== true && entity.name !== "beans")
      yield* placesOf(entity.name, entity.options, [{ exception: ["java.lang.Exception"] }], (options) => [
        { [entity.name]: entity.many === true ? [options] : options },
        ...route({ log: "x" }),
      ]);
  for (const { scheme, path, options, roles } of allConnectors) {
    const fields = { ...(path as Fields), ...(options as Fields) };
    for (const role of roles)
      yield* placesOf(scheme, fields, [], (parameters) =>
        role === "source"
          ? [{ from: { uri: scheme, parameters, steps: [{ log: "x" }] } }]
          : route(role === "sink" ? { to: { uri: scheme, parameters } } : { pollEnrich: { uri: scheme, parameters } }),
      );
  }
  for (const declaration of new Set(catalog.beans.values()))
    if (users[declaration.kind] !== undefined)
      yield* placesOf(declaration.names.at(-1) as string, declaration.properties as Fields, [], (properties) => [
        { beans: [{ name: "holder", type: `#class:${declaration.names[0]}`, properties }] },
        ...route((users[declaration.kind] as (name: string) => unknown)("holder")),
      ]);
}

/** A step that uses a bean of this kind. */
const users: Partial<Record<BeanDeclaration["kind"], (name: string) => unknown>> = {
  "aggregation-strategy": (name) => ({ split: { simple: "${body}", aggregationStrategy: name, steps: [] } }),
  "aggregation-repository": (name) => ({
    aggregate: {
      correlationExpression: { constant: "1" },
      completionSize: 1,
      aggregationStrategy: "#class:org.apache.camel.processor.aggregate.UseLatestAggregationStrategy",
      aggregationRepository: name,
      steps: [],
    },
  }),
  "idempotent-repository": (name) => ({ idempotentConsumer: { simple: "1", idempotentRepository: name, steps: [] } }),
  function: (name) => ({ process: { ref: name } }),
};

/** The operator's functions are looked up without an error by simple, so they are counted. */
const ofFunction = defineBean({ ...members, names: ["com.walked.Function"], kind: "function", create: () => () => undefined });

/** The kind of bean that a place takes: of the bean that it looks up, or `connection`. */
function kindTaken(place: Place): string | undefined {
  const { prepared, lookups } = prepare(place.write(bean), ofNoKind);
  if (lookups.some(({ flowBean }) => flowBean?.type === "com.walked.None")) return "connection";
  for (const { code, message } of prepared.diagnostics) if (code === "bean-wrong-kind") return /is not a valid (.*)$/.exec(message)?.[1]?.replaceAll(" ", "-");
  return prepare(place.write(bean), ofFunction).instances > 0 ? "function" : undefined;
}

const taken = new Map<string, { readonly place: Place; readonly kind: string }>();
for (const place of everyPlace()) {
  if (taken.has(place.label)) continue;
  const kind = kindTaken(place);
  if (kind !== undefined) taken.set(place.label, { place, kind });
}

it("finds every option that is described as the name of a bean", () => {
  const describedAsBean = [...everyPlace()].filter(
    ({ field }) => field !== undefined && /^(?!Type )[^.]*\bof (?:an?|the|another) bean\b|^Name of .*\bunder `beans`/i.test(about(field).spec.doc),
  );
  const fields = new Set([...taken.values()].map(({ place }) => place.field));
  expect(describedAsBean.length).toBeGreaterThan(20);
  expect([...new Set(describedAsBean.filter(({ field }) => !fields.has(field)).map(({ label }) => label))]).toEqual([]);
});

/** The place once per spelling, in routes and beans of their own. */
const inEverySpelling = ({ write }: Place): readonly unknown[] =>
  spellings.flatMap((reference, at) => JSON.parse(JSON.stringify(write(reference)).replaceAll(/"(r|holder|direct:a)"/g, `"$1${at}"`)) as readonly unknown[]);

it.each([...taken].map(([label, { place, kind }]) => [label, kind, place] as const))("%s finds one %s by every spelling of its name", (_, kind, place) => {
  const type = kind === "connection" ? ofNoKind : { ...ofFunction, names: ["com.walked.Bean"], kind: kind as BeanDeclaration["kind"] };
  const { prepared, instances, lookups } = prepare(inEverySpelling(place), type);
  expect(prepared.diagnostics.filter(({ code }) => /^(?:bean|connection)-/.test(code))).toEqual([]);
  if (kind === "connection") expect(new Set(lookups.map(({ reference }) => reference))).toEqual(new Set([bean]));
  else expect(instances).toBe(1);
});
