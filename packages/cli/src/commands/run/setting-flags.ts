import { settingDescriptions } from "@sluice/server/config";
import type { FlagDeclaration, Values } from "../../command/declaration.ts";

/** A flag for every runtime setting that is allowed on the command line, except those that the command sets itself. */
export function settingFlags(without: readonly string[] = []): readonly FlagDeclaration[] {
  return settingDescriptions.flatMap(({ name, flag, variable, doc, kind, values, default: defaultValue }) => {
    if (flag === undefined || without.includes(name)) return [];
    const isSwitch = kind === "boolean";
    return [
      {
        name: flag.slice(2),
        value: isSwitch ? "true|false" : kind,
        ...(values === undefined ? {} : { values }),
        ...(isSwitch ? { optional: true } : {}),
        ...(name === "profile" ? { kind: "profile" as const } : {}),
        doc: `${doc} (${variable}${defaultValue === "" ? "" : `, default ${defaultValue}`})`,
      },
    ];
  });
}

/** The settings that were passed as flags, for a child process that reports problems with them. Its log is always JSON. */
export function settingArguments(flags: Values): readonly string[] {
  return settingDescriptions.flatMap(({ name, flag }) =>
    flag === undefined || name === "logFormat" || typeof flags[name] !== "string" ? [] : [`${flag}=${flags[name]}`],
  );
}

/** The variables of the settings that were passed as flags, for a child process. */
export function settingVariables(flags: Values): Readonly<Record<string, string>> {
  return Object.fromEntries(settingDescriptions.flatMap(({ name, variable }) => (typeof flags[name] === "string" ? [[variable, flags[name]]] : [])));
}
