import { follow as followStream, type CallInput, type EventOf, type StreamName, type StreamState } from "@sluice/client";
import { countFlag, isOn, textFlag, type Call } from "../../command/declaration.ts";
import { connect } from "../../runtime/connection.ts";
import { eventLine } from "../../runtime/event-lines.ts";
import { pause } from "../../runtime/pause.ts";
import { timeLimit } from "../../runtime/time-limit.ts";

export function run(call: Call): Promise<number> {
  const filters = { flowId: "flow", routeId: "route", runId: "run", type: "type", body: "body", replay: "replay" };
  return follow(call, "GET /trace/stream", filters, (event) => eventLine(event, call.terminal));
}

/** Time limit for past events to arrive. */
const replayMs = 500;
const emptyReplayText =
  "No past events: the runtime stores trace events only while a client follows the trace, and for one minute afterwards; `sluice runs` lists past runs, `sluice runs <id>` shows the steps of a run";

/** The filters of all streams. */
type FilterName = keyof NonNullable<CallInput<"GET /trace/stream">["query"] & CallInput<"GET /logs/stream">["query"]>;

/** Follows a stream until interrupted or until the time limit; prints each event as JSON or as a line. */
export async function follow(
  { flags, terminal, signal }: Call,
  stream: StreamName,
  filters: Readonly<Partial<Record<FilterName, string>>>,
  line: (event: EventOf<StreamName>) => string | undefined,
): Promise<number> {
  const connection = await connect(flags);
  const query = Object.fromEntries(Object.entries(filters).map(([name, flag]) => [name, textFlag(flags, flag)]));
  const stop = textFlag(flags, "for") === undefined ? signal : timeLimit(countFlag(flags, "for", 1) * 1_000, signal);
  let hasEvents = false;
  const onState = (state: StreamState, reason?: string): void => {
    if (state === "open") {
      terminal.progress(`following ${connection.baseUrl}, press Ctrl-C to stop`);
      if (stream === "GET /trace/stream" && query["replay"] !== undefined && !hasEvents) void noteEmptyReplay();
    } else if (state === "down") terminal.note(`Connection lost (${reason}), reconnecting`);
  };
  /** Explains an empty replay, because past events would have arrived immediately. */
  const noteEmptyReplay = async (): Promise<void> => {
    await pause(replayMs, stop);
    if (!hasEvents && !stop.aborted) terminal.note(emptyReplayText);
  };
  for await (const event of followStream(connection, stream, { query, signal: stop, onState })) {
    hasEvents = true;
    if (isOn(flags, "json")) terminal.write(JSON.stringify(event.data));
    else if (event.name === "gap") terminal.note(`Events missed: ${event.data.dropped} (${event.data.reason})`);
    else {
      const text = line(event);
      if (text !== undefined) terminal.write(text);
    }
  }
  return signal.aborted ? 130 : 0;
}
