import type { ReplyOf } from "@sluice/client";
import { parse } from "yaml";
import { isOn, UsageError, type Call } from "../../command/declaration.ts";
import { readText } from "../../files/yaml-files.ts";
import { connect, type Connection } from "../../runtime/connection.ts";

type Summary = ReplyOf<"GET /connections">["connections"][number];

export async function run({ arguments: positionals, flags, terminal }: Call): Promise<number> {
  const { action = "list", id, file } = positionals as Readonly<Record<string, string | undefined>>;
  const connection = await connect(flags);
  const asJson = isOn(flags, "json");
  const print = (json: unknown, text: string): void => terminal.write(asJson ? JSON.stringify(json, undefined, 2) : text);
  switch (action) {
    case "put": {
      const name = requireValue(id, "put", "an id and a file");
      const document = documentOf(await readText(requireValue(file, "put", "a file")), file as string);
      const saved = await connection.call("PUT /connections/:id", { params: { id: name }, query: { force: isOn(flags, "force") }, body: document });
      print(saved, `Connection '${name}' ${saved.created ? "defined" : "replaced"}`);
      return 0;
    }
    case "remove": {
      const name = requireValue(id, "remove", "an id");
      print(await connection.call("DELETE /connections/:id", { params: { id: name } }), `Connection '${name}' removed`);
      return 0;
    }
    case "test":
      return testAll(connection, id === undefined ? (await list(connection)).map((summary) => summary.id) : [id], print);
    default: {
      const found = await list(connection);
      print({ connections: found }, found.map(line).join("\n"));
      if (found.length === 0 && !asJson) terminal.note("No connections");
      return 0;
    }
  }
}

const list = async (connection: Connection): Promise<readonly Summary[]> => (await connection.call("GET /connections", {})).connections;

async function testAll(connection: Connection, ids: readonly string[], print: (json: unknown, text: string) => void): Promise<number> {
  const results = [];
  for (const id of ids) results.push({ id, ...(await connection.call("POST /connections/:id/test", { params: { id } })) });
  const texts = results.map((result) =>
    result.ok ? `✓ ${result.id}  ${result.server} (${result.ms} ms)` : `✗ ${result.id}  ${result.error} (${result.hint})`,
  );
  print({ results }, texts.join("\n"));
  return results.every(({ ok }) => ok) ? 0 : 1;
}

function line({ id, type, state, problem, flows, error }: Summary): string {
  const problemText = error ?? problem ?? undefined;
  const usage = flows.length === 0 ? "not used" : `used by ${flows.join(", ")}`;
  return `${id}  ${type ?? "?"}  ${error === undefined ? state : "invalid"}  ${usage}${problemText === undefined ? "" : `  ${problemText}`}`;
}

function requireValue(value: string | undefined, action: string, what: string): string {
  if (value === undefined) throw new UsageError(`${action} needs ${what}`);
  return value;
}

function documentOf(text: string, file: string): Readonly<Record<string, unknown>> {
  try {
    const document: unknown = file.endsWith(".json") ? JSON.parse(text) : parse(text);
    if (typeof document === "object" && document !== null && !Array.isArray(document)) return document as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new UsageError(`'${file}' is not valid ${file.endsWith(".json") ? "JSON" : "YAML"}: ${(error as Error).message.split("\n", 1)[0]}`);
  }
  throw new UsageError(`'${file}' is not a connection: add 'type' and 'values'`);
}
