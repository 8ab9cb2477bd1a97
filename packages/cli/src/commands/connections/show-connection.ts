import { type Call } from "../../command/declaration.ts";
import { printResult } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { fieldsText } from "../../terminal/fields.ts";

export async function run(call: Call): Promise<number> {
  const id = String(call.arguments["connection"]);
  const connection = await connect(call.flags);
  const document = await connection.call("GET /connections/:id", { params: { id } });
  const { type, title, values } = document;
  const entries = Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const);
  printResult(call, document, () =>
    [`${call.terminal.style("bold", id)}  ${type}`, fieldsText([["title", title], ...entries], call.terminal)].filter((text) => text !== "").join("\n"),
  );
  return 0;
}
