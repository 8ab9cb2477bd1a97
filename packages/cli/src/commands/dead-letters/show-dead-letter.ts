import type { DeadLetterDetail, MessageContent } from "@sluice/client";
import { type Call } from "../../command/declaration.ts";
import { printResult } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { fieldsText } from "../../terminal/fields.ts";
import { withoutControls } from "../../terminal/plain-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export async function run(call: Call): Promise<number> {
  const connection = await connect(call.flags);
  const letter = await connection.call("GET /dead-letters/:id", { params: { id: String(call.arguments["id"]) } });
  printResult(call, letter, () => letterText(letter, call.terminal));
  return 0;
}

function letterText(letter: DeadLetterDetail, terminal: Terminal): string {
  const { error, message, input } = letter;
  const fields = fieldsText(
    [
      ["at", letter.at],
      ["flow", letter.flowId],
      ["route", letter.routeId],
      ["source", letter.source],
      ["run", letter.runId],
      ["node", letter.node],
      ["attempts", letter.attempts],
      ["replayed", letter.replayedAt],
      ["error", `${error.type}: ${error.message}`],
      ["at step", error.stepId],
    ],
    terminal,
  );
  // A replay delivers the input; the message shows what the route had made of it.
  const parts = [
    ...(input === null ? [] : messageText("Input", input, terminal)),
    ...messageText(input === null ? "Message" : "Message at the failed step", message, terminal),
  ];
  return [terminal.style("bold", letter.id), fields, ...parts, "", `Replay it: sluice dead-letters replay ${letter.id}`].join("\n");
}

function messageText(title: string, { body, bodyType, size, headers }: MessageContent, terminal: Terminal): readonly string[] {
  const text = typeof body === "string" ? body : JSON.stringify(body, undefined, 2);
  const entries = Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const);
  return [
    "",
    terminal.style("bold", `${title} (${bodyType}, ${size} bytes)`),
    ...(entries.length === 0 ? [] : [fieldsText(entries, terminal)]),
    "",
    withoutControls(text),
  ];
}
