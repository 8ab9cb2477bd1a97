import { parse } from "yaml";
import { isOn, UsageError, type Call } from "../../command/declaration.ts";
import { printResult } from "../../command/output.ts";
import { readText } from "../../files/yaml-files.ts";
import { connect, isRejectedAs } from "../../runtime/connection.ts";

export async function run(call: Call): Promise<number> {
  const { connection: id, file } = call.arguments as Readonly<Record<"connection" | "file", string>>;
  const body = documentOf(await readText(file), file);
  const connection = await connect(call.flags);
  const query = { force: isOn(call.flags, "force") };
  const saved = await connection.call("PUT /connections/:id", { params: { id }, query, body }).catch((error: unknown) => {
    throw isRejectedAs(error, "document-invalid") ? new UsageError(`'${file}' cannot be used: ${error.message}`) : error;
  });
  printResult(call, saved, () => `Connection '${id}' ${saved.created ? "defined" : "replaced"}`);
  return 0;
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
