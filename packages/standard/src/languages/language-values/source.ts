import { CompileError, type Exchange, type Expression } from "@sluice/engine/spi";

/** What an expression reads instead of the body: `header:x`, `property:x`, `variable:x`; the body when nothing is named. */
export function compileSource(source: string | undefined): Expression {
  if (source === undefined || source.trim() === "" || source.trim() === "body") return (exchange) => exchange.message.body;
  const colon = source.indexOf(":");
  const kind = source.slice(0, colon < 0 ? source.length : colon).trim();
  const name = colon < 0 ? "" : source.slice(colon + 1).trim();
  if (name !== "") {
    if (kind === "header") return readHeader(name);
    if (kind === "property" || kind === "exchangeProperty") return (exchange) => exchange.property(name);
    if (kind === "variable") return (exchange) => readVariable(exchange, name);
  }
  throw new CompileError("language-source", `source '${source}' names nothing to read`, { hint: "write header:name, property:name or variable:name" });
}

function readHeader(name: string): Expression {
  const key = name.toLowerCase();
  return (exchange) => exchange.message.headers.getKey(key);
}

/** A variable of the exchange by its name. */
function readVariable(exchange: Exchange, name: string): unknown {
  return exchange.variable(name);
}
