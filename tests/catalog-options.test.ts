// Every option of every declaration: documented, written as text, bound, edited in place, bound again.
import { connectorIndex, connectors } from "@sluice/connectors";
import { bindEndpoint, bindFlow, describe as about, readTree, setOption, type Field, type Fields, type FlowDocument, type Path } from "@sluice/model";
import { catalogOf } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { requiredOf, sampleText, scalarOptions, type ScalarOption, type Sample } from "./sample-options.ts";

const catalog = catalogOf(connectors);

interface Case {
  readonly label: string;
  readonly fields: Fields;
  /** The document that contains these options, and their path. */
  write(options: Sample): { readonly document: unknown; readonly path: Path };
  /** The bound options in the flow. */
  find(flow: FlowDocument): unknown;
}

const route = (step: unknown): unknown => ({ route: { id: "r", from: { uri: "direct:a", steps: [step] } } });
const stepPath = [0, "route", "from", "steps", 0] as const;
const firstStep = (flow: FlowDocument): any => flow.routes[0]?.steps[0]?.options;

const cases: readonly Case[] = [
  ...[...catalog.steps.values()].map((step) => ({
    label: `step ${step.name}`,
    fields: step.options as Fields,
    write: (options: Sample) => ({ document: [route({ [step.name]: options })], path: [...stepPath, step.name] }),
    find: firstStep,
  })),
  ...[...catalog.languages.values()].map((language) => ({
    label: `language ${language.name}`,
    fields: language.options,
    write: (options: Sample) => {
      const languageOptions = {
        [language.textKey ?? "expression"]: "x",
        ...(options as object),
        ...(language.name === "language" ? { language: "simple" } : {}),
      };
      return { document: [route({ setBody: { [language.name]: languageOptions } })], path: [...stepPath, "setBody", language.name] };
    },
    find: (flow: FlowDocument) => firstStep(flow)?.expression?.options,
  })),
  ...[...catalog.formats.values()].map((format) => ({
    label: `format ${format.name}`,
    fields: format.options as Fields,
    write: (options: Sample) => ({ document: [route({ marshal: { [format.name]: options } })], path: [...stepPath, "marshal", format.name] }),
    find: (flow: FlowDocument) => Object.values(firstStep(flow) ?? {}).find((value: any) => value?.name === format.name && value.options !== undefined),
  })),
  ...[...catalog.entities.values()]
    .filter((entity) => entity.raw !== true)
    .map((entity) => ({
      label: `entity ${entity.name}`,
      fields: entity.options,
      write: (options: Sample) => ({
        document: [{ [entity.name]: entity.many === true ? [options] : options }],
        path: entity.many === true ? [0, entity.name, 0] : [0, entity.name],
      }),
      find: (flow: FlowDocument) => flow.entities.find(({ name }) => name === entity.name)?.options,
    })),
];

function bind(source: string): { readonly flow: FlowDocument; readonly faults: readonly string[] } {
  const { tree, diagnostics } = readTree(source);
  if (tree === undefined) return { flow: { routes: [], entities: [], source }, faults: diagnostics.map(({ message }) => message) };
  const bound = bindFlow(tree, catalog, { flowId: "f", source, property: () => undefined } as never);
  const errors = bound.diagnostics.filter(({ severity }) => severity === "error");
  return { flow: bound.flow, faults: errors.map(({ code, message }) => `${code}: ${message}`) };
}

const valueAt = (value: any, path: Path): unknown => path.reduce((inner, step) => inner?.[step], value);
const optionsOf = (testCase: Case, flow: FlowDocument): unknown => {
  const found = testCase.find(flow) as any;
  return testCase.label.startsWith("format") ? found?.options : found;
};

/** Options of a language stay text; all others are parsed by their field. */
const expected = (testCase: Case, field: Field<unknown>, text: string): unknown => (testCase.label.startsWith("language") ? text : field.parse(text));

function withOption({ container, path }: ScalarOption, text: string): Sample {
  const copy = structuredClone(container) as any;
  const parent = valueAt(copy, path.slice(0, -1)) as Record<string, unknown>;
  parent[path.at(-1) as string] = text;
  return copy;
}

describe.each(cases.map((testCase) => [testCase.label, testCase] as const))("%s", (_, testCase) => {
  it("documents every option", () => {
    const undocumented: string[] = [];
    const visit = (fields: Fields, prefix: string): void => {
      for (const [name, field] of Object.entries(fields)) {
        const info = about(field);
        if (!/^[A-Z`#{$'"0-9-][^]*[.]$|^[a-z] [^]*\.$/.test(info.spec.doc)) undocumented.push(`${prefix}${name}: ${info.spec.doc}`);
        const inner = info.fields ?? (info.item === undefined ? undefined : about(info.item).fields);
        if (inner !== undefined) visit(inner, `${prefix}${name}.`);
      }
    };
    visit(testCase.fields, "");
    expect(undocumented).toEqual([]);
  });

  it("binds with only the required options", () => {
    const { document } = testCase.write(requiredOf(testCase.fields));
    // An error handler must have exactly one type, which no single field can express.
    if (testCase.label !== "entity errorHandler") expect(bind(stringify(document)).faults).toEqual([]);
  });

  it("keeps every option from text to flow, and through an edit of the text", () => {
    const failures: string[] = [];
    for (const option of scalarOptions(testCase.fields).filter((candidate) => isFree(testCase, candidate))) {
      const name = option.path.join(".");
      if (about(option.field).spec.unsupported !== undefined) {
        const { faults } = bind(stringify(testCase.write(withOption(option, sampleText(option.field))).document));
        if (!faults.some((fault) => fault.startsWith("refused: "))) failures.push(`${name}: is not refused: ${faults.join(" ")}`);
        continue;
      }
      const first = sampleText(option.field);
      const second = sampleText(option.field, true);
      const { document, path } = testCase.write(withOption(option, first));
      const source = stringify(document);
      const before = bind(source);
      const bound = valueAt(optionsOf(testCase, before.flow), option.path);
      if (before.faults.length > 0 || !same(bound, expected(testCase, option.field, first))) {
        failures.push(`${name}: '${first}' became ${JSON.stringify(bound)} ${before.faults.join(" ")}`);
        continue;
      }
      const edit = setOption(source, [...path, ...option.path.slice(0, -1)], option.path.at(-1) as string, second);
      if (!edit.ok) {
        failures.push(`${name}: ${edit.reason}`);
        continue;
      }
      const after = valueAt(optionsOf(testCase, bind(edit.source).flow), option.path);
      if (!same(after, expected(testCase, option.field, second))) failures.push(`${name}: edited to '${second}' it became ${JSON.stringify(after)}`);
      const changed = edit.source.split("\n").filter((line, index) => line !== source.split("\n")[index]).length;
      if (first !== second && changed !== 1) failures.push(`${name}: the edit changed ${changed} lines`);
    }
    expect(failures).toEqual([]);
  });
});

/**
 * False for values that an author cannot choose freely: a name that must exist, `disabled`, which removes its own block from the flow, and an error
 * handler without a type.
 */
function isFree(testCase: Case, { path }: ScalarOption): boolean {
  if (path.at(-1) === "disabled" || (testCase.label === "entity errorHandler" && path.length === 1)) return false;
  // Options of a language are passed as text, including lists and objects as JSON.
  if (testCase.label.startsWith("language ")) return path.length === 1 && path[0] !== "language";
  return true;
}

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

const loaded = await Promise.all(connectorIndex.map((entry) => entry.load({})));
const everyConnector = new Set([...catalog.connectors.values(), ...loaded]);

describe.each([...everyConnector].map((connector) => [connector.scheme, connector] as const))("connector %s", (_, connector) => {
  const requiredOptions = Object.fromEntries(
    Object.entries({ ...(connector.path as Fields), ...(connector.options as Fields) })
      .filter(([, field]) => about(field).spec.required === true)
      .map(([name, field]) => [name, sampleText(field)]),
  );

  it("keeps every supported option, and rejects the others", () => {
    const failures: string[] = [];
    for (const [name, field] of Object.entries(connector.options as Fields)) {
      const { kind, spec } = about(field);
      if (kind === "list") continue;
      if (spec.unsupported !== undefined) {
        const { values, problems } = bindEndpoint({ uri: connector.scheme, parameters: { ...requiredOptions, [name]: "x" } }, connector);
        const expected = { code: "refused", message: `option '${name}' of endpoint '${connector.scheme}' is not supported: ${spec.unsupported}`, option: name };
        if (!same(problems, [expected]) || Object.hasOwn(values, name)) failures.push(`${name}: is not refused: ${JSON.stringify(problems)}`);
        continue;
      }
      for (const text of [sampleText(field), sampleText(field, true)]) {
        const { values, problems } = bindEndpoint({ uri: connector.scheme, parameters: { ...requiredOptions, [name]: text } }, connector);
        if (problems.length > 0 || !same(values[name], field.parse(text)))
          failures.push(`${name}: '${text}' became ${JSON.stringify(values[name])} ${problems.map(({ message }) => message).join(" ")}`);
      }
    }
    expect(failures).toEqual([]);
  });
});
