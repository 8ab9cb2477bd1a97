// Reads values for `{{name}}` from the properties files in a folder.
import { join } from "node:path";
import { parseProperties, withProfile } from "@sluice/model";
import { readEntireFile } from "../flows/durable-file.ts";

/** The entries of `application.properties`, overridden by `application-<profile>.properties`; empty when the files do not exist. */
export async function readProperties(folder: string, profile: string | undefined): Promise<ReadonlyMap<string, string>> {
  const read = async (name: string): Promise<ReadonlyMap<string, string>> => parseProperties(await readEntireFile(join(folder, name)).then(String, () => ""));
  const profileValues = profile === undefined ? new Map<string, string>() : await read(`application-${profile}.properties`);
  return withProfile(await read("application.properties"), profileValues, profile);
}
