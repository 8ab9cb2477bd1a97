// Values for `{{name}}` in a folder of the operator.
import { join } from "node:path";
import { parseProperties, withProfile } from "@sluice/model";
import { readWhole } from "../flows/durable-file.ts";

/** The entries of `application.properties`, overridden by `application-<profile>.properties`; empty when the files do not exist. */
export async function readProperties(folder: string, profile: string | undefined): Promise<ReadonlyMap<string, string>> {
  const read = async (name: string): Promise<ReadonlyMap<string, string>> => parseProperties(await readWhole(join(folder, name)).then(String, () => ""));
  const ofProfile = profile === undefined ? new Map<string, string>() : await read(`application-${profile}.properties`);
  return withProfile(await read("application.properties"), ofProfile, profile);
}
