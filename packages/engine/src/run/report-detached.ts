import { recordFailure } from "../compile/error-handler.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { Run, type RouteIdentity } from "../exchange/run.ts";
import type { Host } from "../spi/host.ts";
import { asText } from "../values/text.ts";
import type { RouteStats, RunListener } from "./runtime.ts";

export interface ReportingRoute {
  readonly identity: RouteIdentity;
  readonly stats: RouteStats;
  readonly host: Host;
  readonly listener: RunListener;
}

/** Reports a failed detached copy as a failed child run of the run that created it, because no caller waits for it. */
export function reportDetached(copy: Exchange, from: Run, thrown: unknown, { identity, stats, host, listener }: ReportingRoute): void {
  const error = recordFailure(copy, thrown);
  copy.failure = error;
  const run = new Run(`run_${host.ids.next()}`, identity, copy.run.startedAt, { uri: asText(copy.property("CamelToEndpoint")) }, from);
  copy.run = run;
  run.correlationId = from.correlationId;
  run.trace = from.trace;
  stats.total++;
  stats.failed++;
  stats.lastError = error.message;
  listener.started(run, copy);
  run.status = "failed";
  run.failure = error;
  run.endedAt = host.clock.now();
  listener.ended(run, copy);
  host.log.write("ERROR", identity.id, `A detached message failed: ${error.message}`, copy);
}
