// State shared during one compilation: the document's names, the host's services, and the problem list.
import { closest } from "@sluice/model";
import type { Problem } from "../../problem.ts";
import type { ValueTable } from "../../value-mapping/value-table.ts";
import type { XmlSource } from "../formats/message-format.ts";
import type { Evaluate, HeaderSource } from "../frame.ts";
import type { Shape } from "./shape.ts";

/** The services that a host provides to documents. Everything is read at compile time, except tables, which are read at each lookup. */
export interface MappingEnvironment {
  /** Functions the host adds to the language; those of the language and of the document take precedence. */
  readonly functions?: { get(name: string): ((...args: readonly unknown[]) => unknown) | undefined };
  readonly tables: { get(id: string): ValueTable | undefined };
  /** Documents by id, for `import`. */
  readonly documents?: { get(id: string): unknown };
  /** Compiles a string of another expression language; throws for an unknown language or invalid text. `xml` is set when the source is XML. */
  compileLanguage?(language: string, text: string, xml?: XmlSource): LanguageExpression;
}

/** Evaluates an expression on an item; `name` is the name of its element where items are elements, undefined for the whole message. */
export type LanguageExpression = (item: unknown, headers: HeaderSource, name: string | undefined) => unknown;

export interface DocumentFunction {
  readonly args: readonly string[];
  evaluate: Evaluate;
}

export interface DocumentVariable {
  readonly index: number;
  readonly isMany: boolean;
  readonly shape: Shape | undefined;
  readonly element: string | undefined;
}

const maxProblems = 50;
const maxRules = 20_000;

export class DocumentContext {
  readonly environment: MappingEnvironment;
  readonly prefixes: ReadonlySet<string>;
  /** The source does not distinguish one from many: a name applied to a list means its first element. */
  readonly oneOrMany: boolean;
  readonly sourceShape: Shape | undefined;
  readonly targetFormat: string;
  /** Set when the source is XML. */
  readonly xml: XmlSource | undefined;
  readonly variables = new Map<string, DocumentVariable>();
  readonly functions = new Map<string, DocumentFunction>();
  readonly problems: Problem[] = [];
  readonly warnings: string[] = [];
  readonly #tables = { inMap: new Set<string>(), inParts: new Set<string>() };
  #fieldPath: readonly string[] = [];
  #partDepth = 0;
  #rules = 0;

  constructor(environment: MappingEnvironment, sides: Pick<DocumentContext, "prefixes" | "oneOrMany" | "sourceShape" | "targetFormat" | "xml">) {
    this.environment = environment;
    this.prefixes = sides.prefixes;
    this.oneOrMany = sides.oneOrMany;
    this.sourceShape = sides.sourceShape;
    this.targetFormat = sides.targetFormat;
    this.xml = sides.xml;
  }

  /** Runs `work` with a target field as the path of reported problems; `fields` are the segments of its path. */
  at<T>(fields: readonly string[], work: () => T): T {
    const previous = this.#fieldPath;
    this.#fieldPath = fields;
    try {
      return work();
    } finally {
      this.#fieldPath = previous;
    }
  }

  get path(): string {
    return this.#fieldPath.join(".");
  }

  report(message: string, missing?: Problem["missing"]): void {
    if (this.problems.length >= maxProblems) return;
    const problem = { path: this.path, message, ...(missing === undefined ? {} : { missing }) };
    if (!this.problems.some((earlier) => earlier.path === problem.path && earlier.message === message)) this.problems.push(problem);
  }

  /** The closest name, for a suggestion. Undefined once the problem limit is reached: searching for each of 20,000 rules takes seconds. */
  closest(name: string, names: Iterable<string>): string | undefined {
    return this.problems.length < maxProblems ? closest(name, names) : undefined;
  }

  warn(message: string): void {
    if (this.warnings.length < maxProblems && !this.warnings.includes(message)) this.warnings.push(message);
  }

  insidePart<T>(work: () => T): T {
    this.#partDepth++;
    try {
      return work();
    } finally {
      this.#partDepth--;
    }
  }

  uses(table: string): void {
    (this.#partDepth === 0 ? this.#tables.inMap : this.#tables.inParts).add(table);
  }

  /** The tables that the document uses: those of the map, then those of parts. */
  get tablesUsed(): readonly string[] {
    return [...new Set([...this.#tables.inMap, ...this.#tables.inParts])];
  }

  /** Counts a rule; the rules of a part count at each use. False once the rule limit is exceeded. */
  countRule(): boolean {
    if (++this.#rules === maxRules + 1) this.report(`the document has more than ${maxRules} rules (a part counts once for each use)`);
    return this.#rules <= maxRules;
  }
}
