import { settingDescriptions } from "@sluice/server/config";
import type { FlagDeclaration } from "../../command/declaration.ts";

/** A flag for every runtime setting that is allowed on the command line. */
export function settingFlags(): readonly FlagDeclaration[] {
  return settingDescriptions.flatMap(({ flag, variable, doc, kind, values, default: defaultValue }) => {
    if (flag === undefined) return [];
    const isSwitch = kind === "boolean";
    return [
      {
        name: flag.slice(2),
        value: isSwitch ? "true|false" : kind,
        ...(values === undefined ? {} : { values }),
        ...(isSwitch ? { optional: true } : {}),
        doc: `${doc} (${variable}${defaultValue === "" ? "" : `, default ${defaultValue}`})`,
      },
    ];
  });
}
