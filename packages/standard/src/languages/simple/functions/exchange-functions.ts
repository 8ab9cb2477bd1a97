// Functions for the exchange itself: ids, exceptions, dumps, and setters.
import type { Exchange, Expression } from "@sluice/engine/spi";
import { asText, javaTypeOf } from "@sluice/engine/values";
import { storeVariable } from "../compile/access.ts";
import { replaceAll, stackOf } from "../compile/methods.ts";
import { atCompile, withBody, type SimpleScope } from "../compile/scope.ts";
import { hasFunction, unescape } from "../parse/scan.ts";
import { expectCount, untrimmedArguments, unquotedArguments, type Argument, type Call, type SimpleFunction } from "./arguments.ts";
import { conversionTo } from "./conversions.ts";

type Word = (scope: SimpleScope) => Expression;
const read =
  (expression: Expression): Word =>
  () =>
    expression;

const exceptionOf = (exchange: Exchange) => exchange.failure ?? exchange.caught ?? null;

/** Functions without parentheses. */
export const exchangeWords: Readonly<Record<string, Word>> = {
  null: read(() => null),
  exchangeId: read((exchange) => exchange.id),
  id: read((exchange) => exchange.id),
  messageTimestamp: read((exchange) => exchange.message.headers.getKey("camelmessagetimestamp") ?? 0),
  camelId: read(() => "sluice"),
  routeId: read((exchange) => exchange.run.route.id),
  fromRouteId: read((exchange) => exchange.run.root.route.id),
  routeGroup: read((exchange) => exchange.run.route.group ?? null),
  stepId: read((exchange) => exchange.property("CamelStepId") ?? null),
  exception: read(exceptionOf),
  "exception.message": read((exchange) => exceptionOf(exchange)?.message ?? null),
  "exception.stacktrace": read((exchange) => {
    const exception = exceptionOf(exchange);
    return exception === null ? null : stackOf(exception);
  }),
  logExchange: read(dump),
  messageHistory: read(history),
  bodyOneLine: read((exchange) =>
    exchange.message.body === null || exchange.message.body === undefined ? null : replaceAll(asText(exchange.message.body), "\n", ""),
  ),
  bodyType: read((exchange) => javaTypeOf(exchange.message.body)),
  originalBody: read((exchange) => exchange.original?.body ?? null),
  hostname: (scope) => () => scope.language.host.environment("HOSTNAME") ?? "localhost",
  threadId: read(() => 1),
  threadName: read((exchange) => exchange.run.route.id),
  "exchange.pattern": read((exchange) => exchange.pattern),
  "exchange.exchangeId": read((exchange) => exchange.id),
  "exchange.fromRouteId": read((exchange) => exchange.run.root.route.id),
  attachments: read(() => ({})),
  "attachments.size": read(() => 0),
  "attachments.size()": read(() => 0),
  "attachments.length": read(() => 0),
};

export const exchangeFunctions: Readonly<Record<string, SimpleFunction>> = {
  messageHistory: () => history,
  function: callByName,
  setHeader: (call) =>
    setter(call, (exchange, name, value) => {
      if (value === null || value === undefined) exchange.message.headers.delete(name);
      else exchange.message.headers.set(name, value);
    }),
  setVariable: (call) => setter(call, (exchange, name, value) => storeVariable(exchange, call.scope, name, value)),
  valueMapping(call) {
    const args = unquotedArguments(call);
    expectCount(call, args, 3, 4, "valueMapping(table,from,to,value)");
    const [table, from, to] = args.slice(0, 3).map((argument) => call.value(argument)) as [Expression, Expression, Expression];
    const key: Expression = args[3] === undefined ? (exchange) => exchange.message.body : call.value(args[3]);
    const { lookup } = call.scope.language.host;
    return (exchange) => lookup.find(asText(table(exchange)), asText(from(exchange)), asText(to(exchange)), key(exchange)) ?? null;
  },
  attachment: () => () => null,
  attachmentContent: () => () => null,
  attachmentContentAs: () => () => null,
  attachmentContentAsText: () => () => null,
  attachmentContentType: () => () => null,
  attachmentHeader: () => () => null,
  attachmentHeaderAs: () => () => null,
};

function setter(call: Call, set: (exchange: Exchange, name: string, value: unknown) => void): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 2, 3, `${call.name}(name,value)`);
  const name = unescape((args[0] as Argument).text).trim();
  if (name === "" || hasFunction(name)) throw call.fault(`${call.name} needs a fixed name`, `write \${${call.name}(name,value)}`);
  const raw = call.value(args[args.length - 1] as Argument);
  const type = args.length === 3 ? (args[1] as Argument).text.trim() : undefined;
  const convert = type === undefined ? undefined : atCompile(call.offset, () => conversionTo(type));
  return (exchange) => {
    const value = raw(exchange);
    set(exchange, name, convert === undefined ? value : convert(value));
    return null;
  };
}

function callByName(call: Call): Expression {
  const args = unquotedArguments(call);
  expectCount(call, args, 1, 2, "function(name,value)");
  const name = (args[0] as Argument).text;
  const custom = call.scope.custom.get(name) ?? operatorFunction(call, name);
  if (args[1] === undefined) return custom;
  const argument = call.value(args[1]);
  return (exchange) => withBody(exchange, argument(exchange), custom);
}

/** An operator function with that name; it receives the body. */
function operatorFunction(call: Call, name: string): Expression {
  const bean = findBean(call.scope, name, "function");
  if (typeof bean !== "function") throw call.fault(`unknown function '${name}'`, "define it in the init block as $name ~:= ${…};");
  return (exchange) => {
    exchange.unshareProperties();
    return (bean as (body: unknown, exchange: Exchange) => unknown)(exchange.message.body, exchange);
  };
}

/** A bean by name, undefined when there is none. */
export function findBean(scope: SimpleScope, name: string, kind: string): unknown {
  try {
    return scope.language.bean(name, kind);
  } catch {
    return undefined;
  }
}

function dump(exchange: Exchange): string {
  const { message } = exchange;
  return `Exchange[Id: ${exchange.id}, RouteId: ${exchange.run.route.id}, ExchangePattern: ${exchange.pattern}, Headers: ${asText(message.headers.toObject())}, BodyType: ${
    javaTypeOf(message.body) ?? "null"
  }, Body: ${message.body === null || message.body === undefined ? "[Body is null]" : asText(message.body)}]`;
}

function history(exchange: Exchange): string {
  const steps = (exchange.run.trail?.records() ?? []).map(
    (step) => `\n[${exchange.run.route.id}] [${step.stepId}] [${step.kind}] [${Math.round(step.durationMs)} ms]`,
  );
  return `\nMessage History (${exchange.run.route.id})\n${"-".repeat(80)}${steps.join("")}\n`;
}
