import { type Call } from "../../command/declaration.ts";
import { printList } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { assertKnownNames } from "../../runtime/known-names.ts";
import { queryOf } from "../../runtime/query-flags.ts";

export async function run(call: Call): Promise<number> {
  const { flags, terminal } = call;
  const connection = await connect(flags);
  const response = await connection.call("GET /dead-letters", { query: queryOf("GET /dead-letters", flags) });
  const { deadLetters: letters, total } = response;
  if (letters.length === 0) await assertKnownNames(connection, flags);
  printList(call, {
    value: response,
    rows: letters,
    columns: [
      { title: "DEAD LETTER", text: ({ id }) => id },
      { title: "AT", text: ({ at }) => at },
      { title: "ROUTE", text: ({ routeId }) => routeId },
      { title: "ATTEMPTS", text: ({ attempts }) => attempts, isNumber: true },
      { title: "BYTES", text: ({ size }) => size, isNumber: true },
      { title: "REPLAYED", text: ({ replayedAt }) => replayedAt },
      { title: "NODE", text: ({ node }) => node },
      { title: "ERROR", text: ({ error }) => `${error.type}: ${error.message}`, style: () => "red" },
    ],
    empty: "No dead letters",
  });
  if (letters.length < total) terminal.note(`${letters.length} of ${total} dead letters; --limit shows more`);
  return 0;
}
