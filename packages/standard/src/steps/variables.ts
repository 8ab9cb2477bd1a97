// Variable scopes: `name` belongs to the exchange, `global:name` and `route:<routeId>:name` to the runtime.
import { CompileError, FlowError, type Exchange, type Host } from "@sluice/engine/spi";

export interface Variable {
  get(exchange: Exchange): unknown;
  set(exchange: Exchange, value: unknown): void;
  remove(exchange: Exchange): void;
  /** The name without its scope. */
  readonly name: string;
  readonly scope: string;
}

/** Resolves a variable name. Route variables are stored in the runtime's map under their full name. */
export function variable(fullName: string, host: Host, fault: (message: string) => Error = compileFault): Variable {
  const { scope, name } = scopeOf(fullName, fault);
  if (scope === "") {
    return {
      scope,
      name,
      get: (exchange) => exchange.variable(name),
      set: (exchange, value) => exchange.setVariable(name, value),
      remove: (exchange) => void exchange.variables?.delete(name),
    };
  }
  const key = scope === "global" ? name : fullName;
  return {
    scope,
    name,
    get: () => host.globals.get(key),
    set: (_exchange, value) => void host.globals.set(key, value),
    remove: () => void host.globals.delete(key),
  };
}

/** Like {@link variable}, for names evaluated at run time; caches the last variable, because the name rarely changes. */
export function variableByName(host: Host): (fullName: string) => Variable {
  let last: { readonly fullName: string; readonly found: Variable } | undefined;
  return (fullName) => {
    if (last?.fullName !== fullName) last = { fullName, found: variable(fullName, host, runFault) };
    return last.found;
  };
}

/** Stores a message as `variableReceive` does: the body as the variable, each header as `header:<variable>.<name>`. */
export function receiveInto(fullName: string, host: Host): (exchange: Exchange) => void {
  const target = variable(fullName, host);
  const prefix = `${target.scope === "" ? "" : fullName.slice(0, fullName.length - target.name.length)}header:${target.name}.`;
  const header = variableByName(host);
  return (exchange) => {
    target.set(exchange, exchange.message.body);
    for (const [name, value] of exchange.message.headers) header(prefix + name).set(exchange, value);
  };
}

const compileFault = (message: string): Error => new CompileError("variable-scope", message);
const runFault = (message: string): Error => new FlowError("java.lang.IllegalArgumentException", message, { code: "variable-scope" });

function scopeOf(fullName: string, fault: (message: string) => Error): { readonly scope: "" | "global" | "route"; readonly name: string } {
  if (fullName.startsWith("global:")) return { scope: "global", name: fullName.slice(7) };
  if (fullName.startsWith("exchange:")) return { scope: "", name: fullName.slice(9) };
  if (!fullName.startsWith("route:")) return { scope: "", name: fullName };
  const colon = fullName.indexOf(":", 6);
  if (colon < 0) throw fault(`variable '${fullName}' must name its route: write route:<routeId>:<name>`);
  return { scope: "route", name: fullName.slice(colon + 1) };
}
