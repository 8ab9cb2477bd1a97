// Copies of an exchange, as split, multicast, wireTap and their kin make them: the body by reference, the maps shallowly.
import { FlowError } from "../errors/flow-error.ts";
import type { Ids } from "../spi/host.ts";
import { copyEntries } from "./copy-entries.ts";
import { Exchange, type Pattern } from "./exchange.ts";
import type { Message } from "./message.ts";

/** Copies one run may make in all; copies of copies have a lower limit of their own, the operator's. */
export const spawnLimit = 10_000_000;

export interface CopyOptions {
  readonly message?: Message;
  readonly pattern?: Pattern;
  /** One of several, as split and multicast make them: these multiply when they are nested, so the nested ones are counted. */
  readonly branch?: boolean;
}

/** A copy with an id of its own that remembers where it came from. */
export function copyExchange(exchange: Exchange, ids: Ids, options: CopyOptions = {}): Exchange {
  const root = exchange.run.root;
  if (++root.spawned > spawnLimit) throw tooMany(`${spawnLimit} copies of its message`);
  if (options.branch === true && exchange.parent !== undefined && ++root.nested > root.nestedLimit)
    throw tooMany(`${root.nestedLimit} copies of copies; SERVICE_MAX_EXCHANGES sets how many`);
  const copy = new Exchange(ids.next(), exchange.run, options.pattern ?? exchange.pattern, options.message ?? exchange.message.copy(), exchange);
  copy.properties = exchange.properties;
  if (exchange.variables !== undefined) copy.variables = copyEntries(exchange.variables);
  // Which makes them its own.
  copy.setProperty("CamelCorrelationId", exchange.id);
  copy.caught = exchange.caught;
  copy.at = exchange.at;
  copy.original = exchange.original;
  return copy;
}

function tooMany(what: string): FlowError {
  return new FlowError("java.lang.IllegalStateException", `exchange limit: one run may not make more than ${what}`, { code: "limit-exchanges" });
}
