// `simpleJsonpath`: a dotted path into JSON, where every name must exist unless it is marked with `?`.
import { FlowError } from "@sluice/engine/spi";
import { asText, copyJson, entryOf, hasEntry, isMap, jsonView } from "@sluice/engine/values";
import { CompileError } from "@sluice/engine/spi";

interface Step {
  readonly name: string;
  readonly optional: boolean;
  readonly indexes: readonly string[];
}

/** Compiles `a.b[0].c`, `a?.b`, `list[last]`. */
export function compileJsonPath(path: string, offset: number): (source: unknown) => unknown {
  const steps = path.split(/\.(?![^[]*\])/).map((part, index, all) => readStep(part, index > 0 && (all[index - 1] as string).endsWith("?"), offset));
  return (source) => {
    const json = typeof source === "string" || source instanceof Uint8Array ? jsonView(source) : source;
    if (json === undefined || json === null) throw failure(path, "the value is not JSON");
    let value: unknown = json;
    for (const step of steps) {
      value = walk(value, step, path);
      if (value === undefined) return null;
    }
    return json === source ? (value ?? null) : copyJson(value ?? null);
  };
}

function readStep(part: string, optional: boolean, offset: number): Step {
  const match = /^(\??)([^[\]?]*)((?:\[[^\]]*\])*)\??$/.exec(part.trim());
  if (match === null || (match[2] === "" && match[3] === ""))
    throw new CompileError("simple-syntax", `'${part}' is not valid in a JSON path`, { hint: "write names and indexes such as a.b[0].c", offset });
  return {
    name: match[2] as string,
    optional: optional || match[1] === "?",
    indexes: [...(match[3] as string).matchAll(/\[([^\]]*)\]/g)].map(([, index]) => (index as string).trim()),
  };
}

/** Undefined when something optional is absent. */
function walk(source: unknown, { name, optional, indexes }: Step, path: string): unknown {
  let value = source;
  if (name !== "") {
    if (!isMap(value) || !hasEntry(value, name)) {
      if (optional) return undefined;
      throw failure(path, `there is no '${name}'`);
    }
    value = entryOf(value, name);
  }
  for (const index of indexes) {
    const position = Array.isArray(value) ? positionOf(index, value.length) : -1;
    if (!Array.isArray(value) || position < 0 || position >= value.length) {
      if (optional) return undefined;
      throw failure(path, `index ${index} does not exist`);
    }
    value = value[position] as unknown;
  }
  return value;
}

function positionOf(index: string, length: number): number {
  const match = /^(?:(\d+)|last(?:\s*-\s*(\d+))?)$/.exec(index);
  if (match === null) return -1;
  return match[1] === undefined ? length - 1 - Number(match[2] ?? 0) : Number(match[1]);
}

function failure(path: string, why: string): FlowError {
  return new FlowError("org.apache.camel.ExpressionEvaluationException", `simpleJsonpath '${asText(path)}' does not match: ${why}`, {
    code: "simple-json-path",
  });
}
