// Functions that read the environment of a flow: properties, environment variables, beans, generated ids.
import { CompileError, FlowError, isCompileError, type Expression } from "@sluice/engine/spi";
import { compileValue, readBeanReference } from "../../../operator-functions/bean-reference.ts";
import { argumentScope } from "../../../operator-functions/call-arguments.ts";
import type { SimpleScope } from "../compile/scope.ts";
import { compileTail } from "../compile/access.ts";
import { unquoted, type Call, type SimpleFunction } from "./arguments.ts";
import { typedPrefix } from "./conversions.ts";
import { dateFunction, zonedDateFunction } from "./date-functions.ts";
import { findBean } from "./exchange-functions.ts";
import { fileFunction } from "./file-name.ts";
import { identifier } from "./identifier.ts";

interface Prefix {
  /** Compiles the text after the prefix. */
  compile(rest: string, offset: number, scope: SimpleScope): Expression;
  /** True when the function itself evaluates functions in the rest; otherwise they are evaluated first and produce its text. */
  readonly nested?: boolean;
}

const environment: Prefix = { compile: (name, _offset, scope) => () => environmentVariable(name, scope) };
const exceptionPath: Prefix = {
  nested: true,
  compile: (rest, offset, scope) => compileTail(`.${rest}`, offset, scope, (exchange) => exchange.failure ?? exchange.caught ?? null),
};

/** Functions written as a word, a `:` or `.`, and text. */
export const prefixes: Readonly<Record<string, Prefix>> = {
  "int:": { nested: true, compile: typedPrefix("int", 0) },
  "integer:": { nested: true, compile: typedPrefix("int", 0) },
  "long:": { nested: true, compile: typedPrefix("long", 0) },
  "boolean:": { nested: true, compile: typedPrefix("boolean", false) },
  "string:": { nested: true, compile: typedPrefix("String", null) },
  "date:": { compile: dateFunction },
  "date-with-timezone:": { compile: zonedDateFunction },
  "properties:": { compile: propertyFunction },
  "propertiesExist:": { compile: propertyExists },
  "env.": environment,
  "env:": environment,
  "sysenv.": environment,
  "sysenv:": environment,
  "sys.": { compile: () => () => null },
  "ref:": { compile: (name, _offset, scope) => () => findBean(scope, name, "value") ?? null },
  "file:": { compile: fileFunction },
  "exception.": exceptionPath,
  "exception?.": exceptionPath,
  "bean:": { nested: true, compile: beanFunction },
  "type:": unsupported("type", "write the value itself"),
  "camelContext.": unsupported("camelContext", "write {{name}} or ${properties:name} for a property; there is no Camel context"),
  "exchange.": unsupported("exchange", "write ${exchangeId}, ${exchangeProperty.name}, ${header.name} or ${exchange.pattern}"),
  "a2a:": unsupported("a2a", "call the agent with the step to and its HTTP address"),
};

export const settingWords: Readonly<Record<string, (scope: SimpleScope) => Expression>> = {
  uuid: (scope) => identifier("default", scope.language.host) as () => string,
};

export const settingFunctions: Readonly<Record<string, SimpleFunction>> = {
  uuid(call: Call) {
    const kind = unquoted(call.text.trim());
    if (kind === "") throw call.fault("uuid needs a kind between the parentheses", "write ${uuid} or ${uuid(random)}");
    const make = identifier(kind, call.scope.language.host) ?? findBean(call.scope, kind, "function");
    if (typeof make !== "function") throw call.fault(`unknown id generator '${kind}'`, "write default, classic, short, simple or random");
    return () => (make as () => unknown)();
  },
};

/** `${bean:orders.total}`: the result of an operator function. */
function beanFunction(text: string, offset: number, scope: SimpleScope): Expression {
  try {
    return compileValue(readBeanReference(text), argumentScope(scope.language));
  } catch (error) {
    if (!isCompileError(error)) throw error;
    throw new CompileError(error.code, error.message, { offset, ...(error.hint === undefined ? {} : { hint: error.hint }) });
  }
}

function unsupported(name: string, hint: string): Prefix {
  return {
    nested: true,
    compile(_rest, offset) {
      throw new CompileError("simple-unsupported-function", `the function '${name}' is not supported`, { offset, hint });
    },
  };
}

function propertyFunction(text: string, offset: number, scope: SimpleScope): Expression {
  const colon = text.indexOf(":");
  const key = colon < 0 ? text : text.slice(0, colon);
  const otherwise = colon < 0 ? undefined : text.slice(colon + 1);
  if (key === "") throw new CompileError("simple-syntax", "the name of the property is missing", { offset });
  return () => {
    const value = scope.language.property(key) ?? otherwise;
    if (value === undefined)
      throw new FlowError("java.lang.IllegalArgumentException", `property '${key}' is not defined and has no default: use \${properties:${key}:default}`, {
        code: "property-missing",
      });
    return value;
  };
}

function propertyExists(text: string, _offset: number, scope: SimpleScope): Expression {
  const negated = text.startsWith("!");
  const key = negated ? text.slice(1) : text;
  return () => (scope.language.property(key) !== undefined) !== negated;
}

/** Tries the name in upper case, then with underscores, then with camel case split into words. */
function environmentVariable(name: string, scope: SimpleScope): string | null {
  const { host } = scope.language;
  const capital = name.toUpperCase();
  const candidates = [
    capital,
    capital.replaceAll(/[-.]/g, "_"),
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
      .toUpperCase()
      .replaceAll(/[-.]/g, "_"),
  ];
  for (const candidate of candidates) {
    const value = host.environment(candidate);
    if (value !== undefined) return value;
  }
  return null;
}
