// Syntax tree → closures. Local variables become slots of a frame, so that nothing is looked up by name at run time. The only
// loops are over data, and every closure call counts toward a limit, so a script always ends.
import { CompileError, FlowError, type Exchange, type Host } from "@sluice/engine/spi";
import { asList, assignEntry, isOfType, itemAt, memberOf, plain } from "./groovy-access.ts";
import { Closure } from "./groovy-closure.ts";
import { bodyOf, ExchangeView, HeadersView, MessageView } from "./groovy-exchange.ts";
import { callMethod, castTo, isKnownMethod } from "./groovy-methods.ts";
import * as operators from "./groovy-operators.ts";
import { printFunctions, unsupported } from "./groovy-unsupported.ts";
import { constructors, slurperMethods, statics } from "./groovy-statics.ts";
import type { BinaryOperator, Node, Statement } from "./groovy-tree.ts";
import { startWork } from "./groovy-work.ts";

/** One evaluation: the message and the remaining closure calls. */
interface Evaluation {
  readonly exchange: Exchange;
  callsLeft: number;
}

/** The variables of a script or of one closure call. */
interface Frame {
  readonly evaluation: Evaluation;
  readonly parent: Frame | undefined;
  readonly values: unknown[];
  result: unknown;
  returned: boolean;
}

type Evaluate = (frame: Frame) => unknown;
type Run = (frame: Frame) => void;

const maxCalls = 200_000;
/** Maximum depth of the tree of a script. The depth of a chain such as `1 + 1 + 1` is its number of operators. */
const maxDepth = 500;

export function compileGroovy(statements: readonly Statement[], host: Host): (exchange: Exchange) => unknown {
  const run = new Compiler(host, undefined, []).block(statements);
  return (exchange) => {
    startWork();
    const frame: Frame = { evaluation: { exchange, callsLeft: maxCalls }, parent: undefined, values: [], result: null, returned: false };
    run(frame);
    return plain(frame.result);
  };
}

const globals: Readonly<Record<string, (exchange: Exchange) => unknown>> = {
  body: bodyOf,
  headers: (exchange) => new HeadersView(exchange),
  header: (exchange) => new HeadersView(exchange),
  exchange: (exchange) => new ExchangeView(exchange),
  message: (exchange) => new MessageView(exchange),
  request: (exchange) => new MessageView(exchange),
  exchangeProperties: (exchange) => exchange.properties ?? new Map(),
  exchangeProperty: (exchange) => exchange.properties ?? new Map(),
  properties: (exchange) => exchange.properties ?? new Map(),
  variables: (exchange) => exchange.variables ?? new Map(),
  variable: (exchange) => exchange.variables ?? new Map(),
  exception: (exchange) => exchange.caught ?? null,
};

const refusedNames: Readonly<Record<string, string>> = {
  camelContext: "use {{name}} for a property, or another step",
  context: "use {{name}} for a property, or another step",
  log: "use the step log",
  ...printFunctions,
  response: "set the body and the headers with setBody and setHeader",
};

const binary: Readonly<Record<Exclude<BinaryOperator, "&&" | "||" | "?:">, (left: unknown, right: unknown) => unknown>> = {
  "+": operators.add,
  "-": operators.subtract,
  "*": operators.multiply,
  "/": operators.divide,
  "%": operators.remainder,
  "**": operators.power,
  "<<": operators.add,
  "==": operators.equal,
  "!=": (left, right) => !operators.equal(left, right),
  "<": (left, right) => operators.compare(left, right) < 0,
  "<=": (left, right) => operators.compare(left, right) <= 0,
  ">": (left, right) => operators.compare(left, right) > 0,
  ">=": (left, right) => operators.compare(left, right) >= 0,
  "<=>": operators.compare,
  "=~": operators.findsIn,
  "==~": operators.matchesWhole,
  in: (left, right) => operators.contains(right, left),
  "..": operators.range,
};

class Compiler {
  readonly #host: Host;
  readonly #parent: Compiler | undefined;
  readonly #names: string[];
  /** The depth of the node being compiled; shared with the compilers of closures. */
  readonly #nesting: { depth: number };

  constructor(host: Host, parent: Compiler | undefined, names: readonly string[]) {
    this.#host = host;
    this.#parent = parent;
    this.#names = [...names];
    this.#nesting = parent === undefined ? { depth: 0 } : parent.#nesting;
  }

  block(statements: readonly Statement[]): Run {
    const runs = statements.map((statement) => this.#statement(statement));
    return (frame) => {
      for (const run of runs) {
        run(frame);
        if (frame.returned) return;
      }
    };
  }

  #statement(statement: Statement): Run {
    switch (statement.kind) {
      case "declare": {
        const value = statement.value === undefined ? undefined : this.#node(statement.value);
        const slot = this.#names.push(statement.name) - 1;
        return (frame) => {
          frame.result = frame.values[slot] = value?.(frame) ?? null;
        };
      }
      case "assign":
        return this.#assignment(statement.target, this.#node(statement.value));
      case "if": {
        const test = this.#node(statement.test);
        const then = this.block(statement.then);
        const otherwise = this.block(statement.otherwise);
        return (frame) => {
          frame.result = null;
          (operators.truth(test(frame)) ? then : otherwise)(frame);
        };
      }
      case "return": {
        const value = statement.value === undefined ? undefined : this.#node(statement.value);
        return (frame) => {
          frame.result = value?.(frame) ?? null;
          frame.returned = true;
        };
      }
      case "expression": {
        const value = this.#node(statement.value);
        return (frame) => {
          frame.result = value(frame);
        };
      }
    }
  }

  #assignment(target: Node, value: Evaluate): Run {
    if (target.kind === "name") {
      const slot = this.#slotOf(target.name) ?? { up: 0, at: this.#names.push(target.name) - 1 };
      return (frame) => {
        frame.result = frameAt(frame, slot.up).values[slot.at] = value(frame);
      };
    }
    if (target.kind !== "member" && target.kind !== "index")
      throw unsupported("this assignment", "assign to a variable, a header or an entry of a map", target.offset);
    const of = this.#node(target.of);
    const key: Evaluate = target.kind === "member" ? () => target.name : this.#node(target.at);
    return (frame) => {
      const container = of(frame);
      frame.result = value(frame);
      assignEntry(container, operators.groovyText(key(frame)), frame.result);
    };
  }

  #slotOf(name: string): { readonly up: number; readonly at: number } | undefined {
    const at = this.#names.lastIndexOf(name);
    if (at !== -1) return { up: 0, at };
    const parent = this.#parent;
    const above = parent === undefined ? undefined : parent.#slotOf(name);
    return above === undefined ? undefined : { up: above.up + 1, at: above.at };
  }

  #node(node: Node): Evaluate {
    if (++this.#nesting.depth > maxDepth)
      throw new CompileError("groovy-syntax", `more than ${maxDepth} operators are nested or chained`, {
        hint: "assign intermediate results to variables",
        offset: node.offset,
      });
    const evaluate = this.#compileNode(node);
    this.#nesting.depth--;
    return evaluate;
  }

  #compileNode(node: Node): Evaluate {
    switch (node.kind) {
      case "literal":
        return () => node.value;
      case "template":
        return this.#template(node.parts);
      case "name":
        return this.#name(node.name, node.offset);
      case "list": {
        const items = node.items.map((item) => this.#node(item));
        return (frame) => items.map((item) => plain(item(frame)));
      }
      case "map": {
        const entries = node.entries.map(([key, value]) => [this.#node(key), this.#node(value)] as const);
        return (frame) => new Map(entries.map(([key, value]) => [operators.groovyText(key(frame)), plain(value(frame))]));
      }
      case "member":
        return this.#member(node);
      case "index":
        return this.#index(node);
      case "call":
        return this.#call(node);
      case "new":
        return this.#new(node);
      case "closure":
        return this.#closure(node);
      case "unary":
        return this.#unary(node);
      case "binary":
        return this.#binary(node);
      case "ternary": {
        const [test, then, otherwise] = [this.#node(node.test), this.#node(node.then), this.#node(node.otherwise)];
        return (frame) => (operators.truth(test(frame)) ? then(frame) : otherwise(frame));
      }
      case "cast": {
        const of = this.#node(node.of);
        return (frame) => castTo(plain(of(frame)), node.type);
      }
      case "typeTest": {
        const of = this.#node(node.of);
        return (frame) => isOfType(plain(of(frame)), node.type) !== node.negated;
      }
    }
  }

  #template(parts: readonly (string | Node)[]): Evaluate {
    const compiled = parts.map((part) => (typeof part === "string" ? part : this.#node(part)));
    return (frame) => compiled.map((part) => (typeof part === "string" ? part : operators.groovyText(plain(part(frame))))).join("");
  }

  #name(name: string, offset: number): Evaluate {
    const slot = this.#slotOf(name);
    if (slot !== undefined) return slot.up === 0 ? (frame) => frame.values[slot.at] : (frame) => frameAt(frame, slot.up).values[slot.at];
    const global = Object.hasOwn(globals, name) ? globals[name] : undefined;
    if (global !== undefined) return (frame) => global(frame.evaluation.exchange);
    // A class used as a value, as in getBody(String), is passed as its name.
    if (/^[A-Z]/.test(name)) return () => name;
    throw unsupported(`'${name}'`, refusedNames[name] ?? "body, headers, exchange, message, exchangeProperties, variables and exception can be used", offset);
  }

  #member({ of, name, access, offset }: Node & { kind: "member" }): Evaluate {
    const type = typePath(of);
    if (name === "class" && type !== undefined) return () => type;
    if (type !== undefined && this.#slotOf(type) === undefined && Object.hasOwn(statics, shortName(type)))
      throw unsupported(`'${type}.${name}'`, "write its value, or ask the operator to register a function (SERVICE_FUNCTIONS)", offset);
    const receiver = this.#node(of);
    if (access === "spread") return (frame) => asList(receiver(frame)).map((item) => memberOf(item, name, true));
    return (frame) => memberOf(receiver(frame), name, access === "safe");
  }

  #index({ of, at, safe }: Node & { kind: "index" }): Evaluate {
    const [receiver, index] = [this.#node(of), this.#node(at)];
    return (frame) => itemAt(receiver(frame), index(frame), safe);
  }

  #call({ of, name, access, parameters, offset }: Node & { kind: "call" }): Evaluate {
    const compiled = parameters.map((parameter) => this.#node(parameter));
    const parametersOf = (frame: Frame): readonly unknown[] => compiled.map((parameter) => plainUnlessClosure(parameter(frame)));
    if (of === undefined) return this.#bareCall(name, parametersOf, offset);
    if (of.kind === "name" && Object.hasOwn(refusedNames, of.name) && this.#slotOf(of.name) === undefined)
      throw unsupported(`'${of.name}'`, refusedNames[of.name] as string, of.offset);
    const staticCall = this.#static(of, name, offset);
    if (staticCall !== undefined) return (frame) => staticCall(parametersOf(frame), this.#host);
    if (of.kind === "new" && shortName(of.type).startsWith("JsonSlurper") && Object.hasOwn(slurperMethods, name))
      return (frame) => slurperMethods[name]?.(parametersOf(frame));
    if (!isKnownMethod(name))
      throw unsupported(`the method '${name}'`, "use one of the methods in the reference of this language, or simple, jq or js", offset);
    const receiver = this.#node(of);
    if (access === "spread") return (frame) => asList(receiver(frame)).map((item) => (item === null ? null : callMethod(item, name, parametersOf(frame))));
    return (frame) => {
      const value = receiver(frame);
      return access === "safe" && (value === null || value === undefined) ? null : callMethod(value, name, parametersOf(frame));
    };
  }

  #bareCall(name: string, parametersOf: (frame: Frame) => readonly unknown[], offset: number): Evaluate {
    const slot = this.#slotOf(name);
    if (slot === undefined)
      throw unsupported(
        `the function '${name}'`,
        refusedNames[name] ?? "ask the operator to register a function (SERVICE_FUNCTIONS) and call it with the step bean",
        offset,
      );
    return (frame) => callMethod(frameAt(frame, slot.up).values[slot.at], "call", parametersOf(frame));
  }

  #static(of: Node, name: string, offset: number) {
    const type = typePath(of);
    if (type === undefined || this.#slotOf(type) !== undefined || Object.hasOwn(globals, type)) return undefined;
    const methods = Object.hasOwn(statics, shortName(type)) ? statics[shortName(type)] : undefined;
    const found = methods !== undefined && Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (found === undefined)
      throw unsupported(`'${type}.${name}'`, "ask the operator to register a function (SERVICE_FUNCTIONS) and call it with the step bean", offset);
    return found;
  }

  #new({ type, parameters, offset }: Node & { kind: "new" }): Evaluate {
    const create = Object.hasOwn(constructors, shortName(type)) ? constructors[shortName(type)] : undefined;
    if (create === undefined)
      throw unsupported(`'new ${type}'`, "ask the operator to register a function (SERVICE_FUNCTIONS) and call it with the step bean", offset);
    const compiled = parameters.map((parameter) => this.#node(parameter));
    return (frame) =>
      create(
        compiled.map((parameter) => plain(parameter(frame))),
        this.#host,
      );
  }

  #closure({ names, body }: Node & { kind: "closure" }): Evaluate {
    const run = new Compiler(this.#host, this, names).block(body);
    return (frame) =>
      new Closure(names.length, (parameters) => {
        if (--frame.evaluation.callsLeft < 0)
          throw new FlowError("java.lang.IllegalStateException", `groovy: the script called closures more than ${maxCalls} times; split the message first`, {
            code: "limit-time",
          });
        const values =
          names.length > 1 && parameters.length === 1 && Array.isArray(parameters[0]) ? [...(parameters[0] as readonly unknown[])] : [...parameters];
        const inner: Frame = {
          evaluation: frame.evaluation,
          parent: frame,
          values: names.map((_, index) => values[index] ?? null),
          result: null,
          returned: false,
        };
        run(inner);
        return plain(inner.result);
      });
  }

  #unary({ operator, operand }: Node & { kind: "unary" }): Evaluate {
    const value = this.#node(operand);
    if (operator === "!") return (frame) => !operators.truth(value(frame));
    return operator === "-" ? (frame) => operators.subtract(0, value(frame)) : value;
  }

  #binary({ operator, left, right }: Node & { kind: "binary" }): Evaluate {
    const [evaluateLeft, evaluateRight] = [this.#node(left), this.#node(right)];
    if (operator === "&&") return (frame) => operators.truth(evaluateLeft(frame)) && operators.truth(evaluateRight(frame));
    if (operator === "||") return (frame) => operators.truth(evaluateLeft(frame)) || operators.truth(evaluateRight(frame));
    if (operator === "?:")
      return (frame) => {
        const value = evaluateLeft(frame);
        return operators.truth(value) ? value : evaluateRight(frame);
      };
    const apply = binary[operator];
    return (frame) => apply(plain(evaluateLeft(frame)), plain(evaluateRight(frame)));
  }
}

function frameAt(frame: Frame, up: number): Frame {
  let found = frame;
  for (let level = 0; level < up; level++) found = found.parent as Frame;
  return found;
}

const plainUnlessClosure = (value: unknown): unknown => (value instanceof Closure ? value : plain(value));
const shortName = (type: string): string => type.slice(type.lastIndexOf(".") + 1);

/** A class name such as `java.util.UUID` or `Math`; undefined for other expressions. */
function typePath(node: Node): string | undefined {
  if (node.kind === "name") return /^[A-Z]/.test(node.name) ? node.name : undefined;
  if (node.kind !== "member" || node.access !== "plain" || !/^[A-Z]/.test(node.name)) return undefined;
  let path = node.name;
  let of: Node = node.of;
  while (of.kind === "member") {
    path = `${of.name}.${path}`;
    of = of.of;
  }
  return of.kind === "name" && /^[a-z]+$/.test(of.name) && !Object.hasOwn(globals, of.name) ? `${of.name}.${path}` : undefined;
}
