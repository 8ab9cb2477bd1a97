import { follow as followStream, type EventOf, type StreamName, type StreamState } from "@sluice/client";
import { isOn, numberFlag, type Call } from "../../command/declaration.ts";
import { connect } from "../../runtime/connection.ts";
import { eventLine } from "../../runtime/event-lines.ts";
import { assertKnownNames } from "../../runtime/known-names.ts";
import { pause } from "../../runtime/pause.ts";
import { queryOf } from "../../runtime/query-flags.ts";
import { timeLimit } from "../../runtime/time-limit.ts";

export function run(call: Call): Promise<number> {
  return follow(call, "GET /trace/stream", (event) => eventLine(event, call.terminal));
}

/** Time limit for past events to arrive. */
const replayMs = 500;
const emptyReplayText =
  "No past events: the runtime stores trace events only while a client follows the trace, and for one minute afterwards; `sluice runs` lists past runs, `sluice runs <id>` shows the steps of a run";

/** Follows a stream until interrupted or until the time limit; prints each event as JSON or as a line. */
export async function follow({ flags, terminal, signal }: Call, stream: StreamName, line: (event: EventOf<StreamName>) => string | undefined): Promise<number> {
  const connection = await connect(flags);
  await assertKnownNames(connection, flags);
  const query = queryOf(stream, flags);
  const seconds = numberFlag(flags, "for");
  const stop = seconds === undefined ? signal : timeLimit(seconds * 1_000, signal);
  let hasEvents = false;
  const onState = (state: StreamState, reason?: string): void => {
    if (state === "open") {
      terminal.progress(`following ${connection.baseUrl}, press Ctrl-C to stop`);
      if (stream === "GET /trace/stream" && query.replay !== undefined && !hasEvents) void noteEmptyReplay();
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
