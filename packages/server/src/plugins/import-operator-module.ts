import { pathToFileURL } from "node:url";
import { importModule } from "@sluice/connectors";

/** Imports a module the operator named. It is the operator's code and has all rights of the process. With another `version` it is read again. */
export async function importOperatorModule(path: string, version?: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(path);
  if (version !== undefined) url.searchParams.set("version", version);
  return (await importModule(url.href)) as Readonly<Record<string, unknown>>;
}
