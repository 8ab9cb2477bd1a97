// References to an operator function as one string: `orders`, `orders.total`, `orders?method=total`, `orders::total`, `type:com.acme.Orders?method=total`.
import { CompileError, FlowError, type Exchange, type Expression } from "@sluice/engine/spi";
import { operatorCall } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { compileArguments, type ArgumentScope } from "./call-arguments.ts";

export interface BeanReference {
  readonly bean: string;
  readonly method: string | undefined;
}

export function readBeanReference(text: string): BeanReference {
  const [address = "", query] = text.trim().split(/\?(.*)/s);
  const [bean = "", methodInAddress] = address.replace(/^type:/, "").split("::");
  const options = new URLSearchParams((query ?? "").replaceAll("+", "%2B"));
  const method = options.get("method") ?? methodInAddress;
  const name = bean.trim() === "" ? (options.get("ref") ?? options.get("beanType")?.replace(/^#?class:/, "")) : bean.trim();
  if (name === undefined || name === "")
    throw new CompileError("bean-missing", "the name of the bean is missing", { hint: "write it as bean.method, for example orders.total" });
  return { bean: name, method: method === undefined || method.trim() === "" ? undefined : method.trim() };
}

/** Calls the operator function with the exchange, or with the arguments of the method followed by the exchange. */
export function compileCall({ bean, method }: BeanReference, scope: ArgumentScope): (exchange: Exchange) => unknown {
  const { name, parameters } = compileArguments(method, scope);
  return operatorCall({ bean, method: name, parameters }, scope);
}

/** A call as an expression, which must be synchronous. */
export function compileValue(reference: BeanReference, scope: ArgumentScope): Expression {
  const call = compileCall(reference, scope);
  return (exchange) => {
    const value = call(exchange);
    if (!(value instanceof Promise)) return value ?? null;
    value.catch(() => undefined);
    const { bean, method } = reference;
    throw new FlowError(
      "java.lang.IllegalStateException",
      `the function '${asText(method === undefined ? bean : `${bean}.${method}`)}' returns a promise, which an expression cannot await: call it with the step bean`,
      { code: "function-promise" },
    );
  };
}
