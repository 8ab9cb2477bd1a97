import { countFlag, isOn, textFlag, type Call } from "../../command/declaration.ts";
import { connect } from "../../runtime/connection.ts";
import { followEvents } from "../../runtime/event-stream.ts";
import { traceLine } from "../../runtime/event-lines.ts";
import { timeLimit } from "../../runtime/time-limit.ts";

export function run(call: Call): Promise<number> {
  return follow(call, "/trace/stream", { flowId: "flow", routeId: "route", runId: "run", type: "type", body: "body", replay: "replay" }, (event) =>
    traceLine(event, call.terminal.style, call.terminal.columns),
  );
}

/** Follows a stream until interrupted or for the time asked for; each event as JSON or as the line it makes. */
export async function follow(
  { flags, terminal, signal }: Call,
  path: string,
  filters: Readonly<Record<string, string>>,
  line: (event: unknown) => string | undefined,
): Promise<number> {
  const connection = await connect(flags);
  const query = new URLSearchParams();
  for (const [name, flag] of Object.entries(filters)) {
    const value = textFlag(flags, flag);
    if (value !== undefined) query.set(name, value);
  }
  const stop = textFlag(flags, "for") === undefined ? signal : timeLimit(countFlag(flags, "for", 1) * 1_000, signal);
  const options = {
    signal: stop,
    connected: () => terminal.progress(`following ${connection.baseUrl}, Ctrl-C ends it`),
    reconnecting: (reason: string) => terminal.note(`connection lost (${reason}), trying again`),
  };
  for await (const { event, data } of followEvents(connection, `${path}?${query.toString()}`, options)) {
    if (isOn(flags, "json")) terminal.write(JSON.stringify(data));
    else if (event === "gap") terminal.note(`${data.dropped ?? "some"} events were missed (${data.reason})`);
    else {
      const text = line(data);
      if (text !== undefined) terminal.write(text);
    }
  }
  return signal.aborted ? 130 : 0;
}
