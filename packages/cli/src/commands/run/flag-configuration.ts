// The settings of a runtime that a command starts, from its flags and the environment.
import { statSync } from "node:fs";
import { readConfiguration, settingDescriptions, type SettingName } from "@sluice/server/config";
import { textFlag, UsageError, type Values } from "../../command/declaration.ts";

/** Settings that list existing folders. A folder that a variable names may be mounted later. */
const folderSettings = ["secretsDir", "connections", "databases", "resources"] as const satisfies readonly SettingName[];

/** Throws a SettingsError for invalid settings, and a UsageError for a flag that names a folder that does not exist. */
export function configurationOfFlags(flags: Values): ReturnType<typeof readConfiguration> {
  const configuration = readConfiguration(flags as Readonly<Record<string, string>>);
  for (const name of folderSettings) {
    const text = textFlag(flags, name) ?? "";
    const folders = (name === "secretsDir" ? [text] : text.split(",")).map((folder) => folder.trim()).filter((folder) => folder !== "");
    const missing = folders.find((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true);
    if (missing !== undefined) throw new UsageError(`${flagOf(name)}: folder '${missing}' not found: check the path`);
  }
  return configuration;
}

const flagOf = (setting: SettingName): string => settingDescriptions.find(({ name }) => name === setting)?.flag as string;

/** A message about a setting, with the name that the user wrote: the flag if it was passed, else the variable. */
export function inUsersWords(message: string, flags: Values): string {
  return settingDescriptions.reduce(
    (text, { name, flag, variable }) => (flag === undefined || flags[name] === undefined ? text : text.replaceAll(new RegExp(`\\b${variable}\\b`, "g"), flag)),
    message,
  );
}
