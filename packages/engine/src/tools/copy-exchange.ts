// Copies of an exchange, as made by split, multicast, wireTap and similar steps: the body by reference, the maps shallowly.
import { FlowError } from "../errors/flow-error.ts";
import type { Ids } from "../spi/host.ts";
import { copyEntries } from "../exchange/copy-entries.ts";
import { Exchange, type Pattern } from "../exchange/exchange.ts";
import type { Message } from "../exchange/message.ts";

/** Copies one run may make in total; copies of copies have a lower limit, set by the operator. */
const spawnLimit = 10_000_000;

export interface CopyOptions {
  readonly message?: Message;
  readonly pattern?: Pattern;
  /** True for one of several copies, as in split and multicast: nested copies multiply, so they are counted. */
  readonly branch?: boolean;
  /** The copy is processed instead of the original, which waits: its sends belong to the same transaction. */
  readonly sameUnit?: boolean;
}

/** A copy with its own id and a reference to its parent. */
export function copyExchange(exchange: Exchange, ids: Ids, options: CopyOptions = {}): Exchange {
  const root = exchange.run.root;
  if (++root.spawned > spawnLimit) throw exchangeLimitError(`${spawnLimit} copies of its message`);
  if (options.branch === true && exchange.parent !== undefined && ++root.nested > root.nestedLimit)
    throw exchangeLimitError(`${root.nestedLimit} copies of copies; SERVICE_MAX_EXCHANGES sets this limit`);
  const copy = new Exchange(ids.next(), exchange.run, options.pattern ?? exchange.pattern, options.message ?? exchange.message.copy(), exchange);
  copy.properties = exchange.properties;
  if (exchange.variables !== undefined) copy.variables = copyEntries(exchange.variables);
  // This unshares the properties.
  copy.setProperty("CamelCorrelationId", exchange.id);
  copy.caught = exchange.caught;
  copy.at = exchange.at;
  copy.original = exchange.original;
  if (options.sameUnit === true) copy.unit = exchange.unit;
  return copy;
}

function exchangeLimitError(limit: string): FlowError {
  return new FlowError("java.lang.IllegalStateException", `exchange limit: one run may not create more than ${limit}`, { code: "limit-exchanges" });
}
