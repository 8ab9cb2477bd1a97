// Reads a flow-test file; every error is reported with its line and column. run-flow-tests.ts runs it.
import { isMap, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import { fileShape, plainIssues, type FlowTestFile } from "./flow-test-shape.ts";

export interface FlowTestProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** The file is invalid; the message says where. */
export class FlowTestFileError extends Error {
  readonly problems: readonly FlowTestProblem[];

  constructor(problems: readonly FlowTestProblem[]) {
    super(problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`).join("\n"));
    this.name = "FlowTestFileError";
    this.problems = problems;
  }
}

export function readFlowTests(yaml: string): FlowTestFile {
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false });
  const positionAt = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.length > 0)
    throw new FlowTestFileError(document.errors.map((error) => ({ ...positionAt(error.pos[0]), message: `invalid YAML: ${error.message.split("\n")[0]}` })));
  const { data, origins } = withRows(document.toJS({ maxAliasCount: 100 }));
  const origin = (path: readonly PropertyKey[]): readonly (string | number)[] =>
    path.map((part, index) => (index === 1 && path[0] === "tests" ? (origins[part as number] ?? part) : part) as string | number);
  const result = fileShape.safeParse(data);
  if (!result.success)
    throw new FlowTestFileError(
      plainIssues(result.error).map((issue) => {
        const path = origin(issue.path);
        return { ...positionAt(offsetOf(document, path)), message: `${path.length === 0 ? "" : `${path.join(".")}: `}${issue.message}` };
      }),
    );
  const tests = result.data.tests.map((test, index) => ({ ...test, line: positionAt(offsetOf(document, origin(["tests", index]))).line }));
  return { ...result.data, tests };
}

/** Expands every test with rows (`each`) to one test per row, with `${row.name}` filled in. `origins` has, for each resulting test, the index of the test in the file. */
function withRows(data: unknown): { readonly data: unknown; readonly origins: readonly number[] } {
  const tests = (data as { tests?: unknown } | null)?.tests;
  if (!Array.isArray(tests)) return { data, origins: [] };
  const origins: number[] = [];
  const expanded = tests.flatMap((test: unknown, index) => {
    const rows = isRecord(test) ? test["each"] : undefined;
    const filled =
      Array.isArray(rows) && rows.length > 0 && rows.every(isRecord) ? rows.map((row, rowIndex) => fillTest(test as Fields, row, rowIndex)) : [test];
    origins.push(...filled.map(() => index));
    return filled;
  });
  return { data: { ...(data as Fields), tests: expanded }, origins };
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

function fillTest({ each: _, ...test }: Fields, row: Fields, index: number): Fields {
  const filled = fill(test, row) as Fields;
  // An empty name stays empty, so that it is rejected.
  return typeof filled["name"] === "string" && filled["name"] !== "" ? { ...filled, name: `${filled["name"]} [${index + 1}]` } : filled;
}

/** The offset of a path: the key of a member, the item of a list, or the nearest existing parent. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const last = path[length - 1];
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(last));
      const offset = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
      if (offset !== undefined) return offset;
      continue;
    }
    const node = document.getIn(path.slice(0, length), true) as { range?: readonly [number, number, number] } | undefined;
    if (node?.range !== undefined) return node.range[0];
  }
  return 0;
}

function fill(value: unknown, row: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === "string") {
    const placeholder = /^\$\{row\.([\w-]+)\}$/.exec(value);
    if (placeholder !== null) return row[placeholder[1] as string] ?? null;
    return value.replaceAll(/\$\{row\.([\w-]+)\}/g, (_all, name: string) => String(row[name] ?? ""));
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, row));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner, row)]));
}
