import type { Exchange } from "@sluice/engine";
import type { StepNode } from "@sluice/model";
import { withLogCallback } from "../embedding/log-callback.ts";
import { streamBufferOptions } from "../runtime-settings.ts";
import { LogRecorder } from "../streams/log-recorder.ts";
import { createStreamOpener, type StreamOpener } from "../streams/open-stream.ts";
import { TraceRecorder } from "../streams/trace-recorder.ts";
import type { LateParts } from "./late-parts.ts";
import type { ServerProcess } from "./open-process.ts";

export interface Streams {
  readonly opener: StreamOpener;
  readonly trace: TraceRecorder;
  readonly logs: LogRecorder;
  /** Records that a test session mocked a step. */
  mocked(exchange: Exchange, node: StepNode | undefined): void;
  /** Sets the recent log lines of the other workers. */
  setOtherLines(lines: readonly string[]): void;
}

/** Creates the event and log streams for clients of the management API. */
export function openStreams({ settings, variant, secrets, log, writer, level, clock, cluster }: ServerProcess, lateParts: LateParts): Streams {
  const bufferOptions = streamBufferOptions(settings, secrets, cluster?.queries.node);
  const mocked = new WeakMap<Exchange, StepNode | undefined>();
  let otherLines: readonly string[] = [];
  const trace = new TraceRecorder({ ...bufferOptions, runtime: () => lateParts.runtime.current, wasMocked: (exchange, node) => mocked.get(exchange) === node });
  const logs = new LogRecorder({
    ...bufferOptions,
    minLevel: level,
    // Lines start with their time, so sorting merges the lines of several workers.
    recentLines: () => (otherLines.length === 0 ? writer.recent() : [...writer.recent(), ...otherLines].sort()),
  });
  const onLog = variant.embedding?.onLog;
  log.setListener(onLog === undefined ? logs : withLogCallback({ onLog, minLevel: level, secrets }, logs));
  return {
    opener: createStreamOpener(
      settings.maxStreamClients,
      {
        maxEvents: settings.streamClientEvents,
        maxBytes: settings.streamClientBytes,
        heartbeatMs: settings.streamHeartbeatMs,
        stuckMs: settings.streamStuckMs,
      },
      clock,
    ),
    trace,
    logs,
    mocked: (exchange, node) => void mocked.set(exchange, node),
    setOtherLines: (lines) => void (otherLines = lines),
  };
}
