import { pathToFileURL } from "node:url";
import { importModule } from "@sluice/connectors";

/** Imports a module of the operator, which runs with all privileges of the process. A different `version` loads it again. */
export async function importOperatorModule(path: string, version?: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(path);
  if (version !== undefined) url.searchParams.set("version", version);
  return (await importModule(url.href)) as Readonly<Record<string, unknown>>;
}
