// Resolves the first name of a path: a level, a variable, an argument, or a field of the current item.
import { memberReader } from "../expression/member-reader.ts";
import type { Frame } from "../frame.ts";
import { frameAt } from "../source-path.ts";
import type { DocumentContext } from "./document-context.ts";
import { computed, memberShape, type Compiled } from "./compiled.ts";
import { hopsTo, levelAt, reservedNames, type Scope } from "./scope.ts";

export function compileName(name: string, scope: Scope, context: DocumentContext): Compiled {
  const plain = name.startsWith("$") ? name.slice(1) : name;
  const hops = plain === "" ? undefined : hopsTo(scope, (level) => level.as === plain);
  if (hops !== undefined) return itemAt(hops, levelAt(scope, hops));
  const argument = scopeArguments(scope).indexOf(plain);
  if (argument >= 0) {
    const hopsToFunction = hopsTo(scope, (level) => level.args !== undefined) as number;
    return computed((frame) => frameAt(frame, hopsToFunction).args?.[argument]);
  }
  return name.startsWith("$") ? special(name, scope, context) : field(name, scope, context);
}

function field(name: string, scope: Scope, context: DocumentContext): Compiled {
  if (scope.args !== undefined) {
    context.report(`unknown name '${name}': a function can use its arguments, $, $params, $headers and variables`);
    return computed(() => undefined);
  }
  const read = memberReader(name, context.oneOrMany);
  const shape = memberShape(scope.shape, name, context);
  return { evaluate: (frame) => read(frame.item), isMany: false, shape, origin: { base: "item", hops: 0, text: name } };
}

function special(name: string, scope: Scope, context: DocumentContext): Compiled {
  switch (name) {
    case "$":
      return { evaluate: (frame) => frame.run.root, isMany: false, shape: context.sourceShape, origin: { base: "root", hops: 0, text: "" } };
    case "$item":
      return scope.args === undefined ? itemAt(0, scope) : reportUnknown(name, "a function has no item", context);
    case "$index": {
      const hops = hopsTo(scope, (level) => level.isItem);
      if (hops === undefined) return reportUnknown(name, "it is available inside forEach only", context);
      return computed((frame) => frameAt(frame, hops).index);
    }
    case "$key":
    case "$group": {
      const hops = hopsTo(scope, (level) => level.isGrouped);
      if (hops === undefined) return reportUnknown(name, "it is available inside a forEach with groupBy only", context);
      if (name === "$key") return computed((frame) => frameAt(frame, hops).key);
      const shape = levelAt(scope, hops).shape;
      return { ...computed((frame) => frameAt(frame, hops).group), shape: shape === undefined ? undefined : { kind: "list", of: shape } };
    }
    case "$headers":
      return computed((frame) => frame.run.headers.toObject());
    case "$params":
      return computed((frame) => frame.run.params);
    case "$vars":
      return computed((frame) => variablesObject(frame, context));
    default: {
      const variable = context.variables.get(name);
      if (variable !== undefined)
        return { evaluate: (frame) => frame.run.vars[variable.index], isMany: variable.isMany, shape: variable.shape, origin: undefined };
      const suggestion = context.closest(name, [...context.variables.keys(), ...reservedNames.map((reserved) => `$${reserved}`)]);
      return reportUnknown(name, suggestion === undefined ? undefined : `did you mean '${suggestion}'?`, context);
    }
  }
}

function itemAt(hops: number, level: Scope): Compiled {
  const evaluate = hops === 0 ? (frame: Frame): unknown => frame.item : (frame: Frame): unknown => frameAt(frame, hops).item;
  return { evaluate, isMany: false, shape: level.shape, origin: { base: "item", hops, text: "" } };
}

function reportUnknown(name: string, why: string | undefined, context: DocumentContext): Compiled {
  context.report(`unknown name '${name}'${why === undefined ? "" : ` (${why})`}`);
  return computed(() => undefined);
}

function variablesObject(frame: Frame, context: DocumentContext): Readonly<Record<string, unknown>> {
  const values = Object.create(null) as Record<string, unknown>;
  for (const [name, { index }] of context.variables) values[name.slice(1)] = frame.run.vars[index];
  return values;
}

function scopeArguments(scope: Scope): readonly string[] {
  for (let level: Scope | undefined = scope; level !== undefined; level = level.up) if (level.args !== undefined) return level.args;
  return [];
}
