import type { Capture } from "@sluice/client";
import { isOn, numberFlag, UsageError, type Call } from "../../command/declaration.ts";
import { printResult } from "../../command/output.ts";
import { connect, type Connection } from "../../runtime/connection.ts";

export async function run(call: Call): Promise<number> {
  const { flags } = call;
  const id = String(call.arguments["route"]);
  const [minutes, maxBytes, isStop] = [numberFlag(flags, "minutes"), numberFlag(flags, "maxBytes"), isOn(flags, "stop")];
  if (minutes !== undefined && isStop) throw new UsageError("--minutes and --stop exclude each other: pass one of them");
  if (maxBytes !== undefined && minutes === undefined) throw new UsageError("--max-bytes needs --minutes: pass both");
  const connection = await connect(flags);
  const capture = await captureOf(connection, id, minutes, maxBytes, isStop);
  printResult(call, capture, () => captureText(id, capture));
  return 0;
}

function captureOf(connection: Connection, id: string, minutes: number | undefined, maxBytes: number | undefined, isStop: boolean): Promise<Capture> {
  const params = { id };
  if (isStop) return connection.call("DELETE /routes/:id/capture", { params });
  if (minutes === undefined) return connection.call("GET /routes/:id/capture", { params });
  const body = { forMs: minutes * 60_000, ...(maxBytes === undefined ? {} : { maxBytes }) };
  return connection.call("POST /routes/:id/capture", { params, body });
}

const captureText = (id: string, { active, until, bytes }: Capture): string =>
  active ? `The messages of route '${id}' are captured until ${until}, ${bytes} bytes so far` : `The messages of route '${id}' are not captured`;
