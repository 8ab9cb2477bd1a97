// Checks and compiles a document. All problems are reported, not only the first; a compiled mapping can be run for any number of messages.
import { isPlainObject } from "@sluice/engine/values";
import { memberNames } from "@sluice/model";
import { isDeeperThan } from "../document-text.ts";
import { unknownProperties, type Problem } from "../problem.ts";
import { runToEnd, type Incremental } from "../text/incremental.ts";
import { DocumentContext, type MappingEnvironment } from "./compile/document-context.ts";
import { readDeclarations, type Declarations } from "./compile/document-parts.ts";
import { compileText } from "./compile/expression-compiler.ts";
import { unmappedWarnings } from "./compile/required-fields.ts";
import { compileRules, compileRulesIncrementally, type Level, type MappedField } from "./compile/rule-compiler.ts";
import { validName, reservedNames, rootScope } from "./compile/scope.ts";
import { shapeOfSample, shapeOfSchema, type Shape } from "./compile/shape.ts";
import { mappingMembers, variableSchema } from "./document-schema.ts";
import { createFormat } from "./formats/index.ts";
import type { MessageFormat } from "./formats/message-format.ts";
import type { Evaluate } from "./frame.ts";
import { createMapping, type CompiledMapping } from "./run-mapping.ts";
import { failingTests } from "./document-tests.ts";

export interface CompileOutcome {
  /** Undefined when the document has problems other than missing tables or documents. */
  readonly mapping: CompiledMapping | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

const members = Object.keys(mappingMembers);
const maxDepth = 200;

interface CompileOptions {
  /** Also runs the tests in the document and reports each failing one as a problem. */
  readonly runTests?: boolean;
}

export const compileMapping = (document: unknown, environment: MappingEnvironment, options: CompileOptions = {}): CompileOutcome =>
  runToEnd(compileMappingIncrementally(document, environment, options));

/** Like {@link compileMapping}, incrementally: a document may have thousands of rules and a large sample. */
export function* compileMappingIncrementally(document: unknown, environment: MappingEnvironment, options: CompileOptions = {}): Incremental<CompileOutcome> {
  if (!isPlainObject(document))
    return { mapping: undefined, problems: [{ path: "", message: "a document must be an object with source, target and map" }], warnings: [] };
  if (isDeeperThan(document, maxDepth))
    return { mapping: undefined, problems: [{ path: "", message: `the document is nested deeper than ${maxDepth} levels` }], warnings: [] };
  yield undefined;
  return yield* compile(document, environment, options.runTests === true);
}

function* compile(document: Members, environment: MappingEnvironment, runTests: boolean): Incremental<CompileOutcome> {
  const sideProblems: Problem[] = [];
  const side = (name: "source" | "target"): MessageFormat =>
    createFormat(document[name], (path, message) => sideProblems.push({ path: path === "" ? name : `${name}.${path}`, message }));
  const source = side("source");
  const target = side("target");
  const context = new DocumentContext(environment, {
    prefixes: source.prefixes,
    oneOrMany: source.oneOrMany,
    sourceShape: sideShape(document["source"], source, "source", sideProblems),
    targetFormat: target.name,
    xml: source.xml,
  });
  context.problems.push(...sideProblems);
  yield undefined;
  checkMembers(document, context);
  yield undefined;
  const imports = new Set<string>();
  const declarations = readDeclarations(document, context, imports);
  for (const [name, { args }] of declarations.functions) context.functions.set(name, { args, evaluate: () => undefined });
  const vars = compileVars(document["vars"], context);
  compileFunctions(declarations, context);
  const mapped: MappedField[] = [];
  const targetShape = sideShape(document["target"], target, "target", context.problems);
  yield undefined;
  const top: Level = {
    scope: rootScope(context.sourceShape),
    context,
    parts: declarations.parts,
    partStack: new Map(),
    fields: [],
    prefix: "",
    rulePath: "map",
    targetShape,
    mapped,
    compileRules,
  };
  const write = yield* compileRulesIncrementally(document["map"], top);
  checkParts(declarations, top);
  const warnings = [...context.warnings, ...unmappedWarnings(targetShape, mapped)];
  yield undefined;
  const blockingProblems = context.problems.filter((problem) => problem.missing === undefined);
  const mapping =
    blockingProblems.length > 0
      ? undefined
      : createMapping({
          document,
          source,
          target,
          vars,
          write,
          fields: countRules(document["map"]),
          uses: context.tablesUsed,
          imports: [...imports],
          collectsErrors: document["onError"] === "all",
        });
  const problems = [...context.problems];
  if (mapping !== undefined && problems.length === 0 && runTests) {
    yield undefined;
    problems.push(...failingTests(document["tests"], mapping));
  }
  return { mapping, problems, warnings };
}

function checkMembers(document: Members, context: DocumentContext): void {
  for (const fault of unknownProperties(document, members)) context.report(fault);
  const { name, onError } = document;
  if (name !== undefined && typeof name !== "string") context.report("'name' must be a string");
  if (onError !== undefined && !mappingMembers.onError.enum.includes(onError as string)) context.report("'onError' must be 'first' or 'all'");
  if (!Array.isArray(document["map"])) context.report("'map' must be a list of rules");
}

function sideShape(side: unknown, format: MessageFormat, name: "source" | "target", problems: Problem[]): Shape | undefined {
  if (!isPlainObject(side)) return undefined;
  if (side["schema"] !== undefined) {
    if (!isPlainObject(side["schema"]) && typeof side["schema"] !== "boolean")
      problems.push({ path: `${name}.schema`, message: "expected a JSON Schema: an object, true or false" });
    return shapeOfSchema(side["schema"]);
  }
  if (side["sample"] === undefined) return undefined;
  try {
    return shapeOfSample(format.read(side["sample"]));
  } catch (error) {
    problems.push({ path: `${name}.sample`, message: (error as Error).message });
    return undefined;
  }
}

export interface CompiledVariable {
  readonly name: string;
  readonly evaluate: Evaluate;
}

function compileVars(vars: unknown, context: DocumentContext): readonly CompiledVariable[] {
  if (vars === undefined) return [];
  if (!Array.isArray(vars)) {
    context.report("'vars' must be a list of {name, expr}");
    return [];
  }
  return vars.flatMap((variable: unknown) => {
    const { name: rawName, expr } = isPlainObject(variable) ? variable : ({} as Members);
    const name = validName(rawName);
    if (name === undefined || typeof expr !== "string") {
      context.report("each entry of 'vars' must have a 'name' (letters, digits and _; not starting with a digit) and a string 'expr'");
      return [];
    }
    const fullName = `$${name}`;
    return context.at([fullName], () => {
      for (const fault of unknownProperties(variable as Members, memberNames(variableSchema))) context.report(fault);
      if (reservedNames.includes(name) || context.variables.has(fullName)) context.report("the name is reserved or already in use: choose another");
      try {
        const { evaluate, shape, isMany, element } = compileText(expr, rootScope(context.sourceShape), context);
        context.variables.set(fullName, { index: context.variables.size, isMany, shape, element });
        return [{ name: fullName, evaluate }];
      } catch (error) {
        context.report((error as Error).message);
        return [];
      }
    });
  });
}

function compileFunctions({ functions }: Declarations, context: DocumentContext): void {
  for (const [name, { args, expr }] of functions) {
    context.at([`${name}()`], () => {
      const declared = context.functions.get(name);
      try {
        if (declared !== undefined) declared.evaluate = compileText(expr, { ...rootScope(undefined), args }, context).evaluate;
      } catch (error) {
        context.report((error as Error).message);
      }
    });
  }
}

/** Unused parts are checked too; the shape of their items is unknown. */
function checkParts({ parts }: Declarations, top: Level): void {
  for (const [name, part] of parts) {
    top.context.insidePart(() =>
      top.context.at([`parts.${name}`], () =>
        compileRules(part.map, {
          ...top,
          scope: rootScope(undefined),
          parts: part.parts(),
          partStack: new Map([[part, {}]]),
          fields: [`parts.${name}`],
          targetShape: undefined,
          mapped: [],
          rulePath: `parts.${name}.map`,
        }),
      ),
    );
  }
}

/** Every rule of the map counts as a field, including nested rules. */
function countRules(rules: unknown, depth = 0): number {
  if (!Array.isArray(rules) || depth > 100) return 0;
  return rules.reduce<number>((count, rule: unknown) => count + 1 + (isPlainObject(rule) ? countRules(rule["map"], depth + 1) : 0), 0);
}
