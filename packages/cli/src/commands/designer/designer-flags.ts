// The flags of the designer, and the variables that they override.
import { textFlag, type FlagDeclaration, type Values } from "../../command/declaration.ts";

const portNumber = { min: 0, max: 65_535 } as const;
const workspaceFlag: FlagDeclaration = {
  name: "workspace",
  value: "folder",
  doc: "Folder with flows and tests of the designer (DESIGNER_WORKSPACE, default ./workspace).",
};

/** Of `sluice designer`. */
export const designerFlags: readonly FlagDeclaration[] = [
  { name: "port", value: "port", number: portNumber, doc: "Port to listen on; 0 selects a free port (DESIGNER_PORT, default 8090)." },
  { name: "host", value: "address", doc: "Address to listen on; other addresses than loopback require a password (DESIGNER_HOST, default 127.0.0.1)." },
  workspaceFlag,
  { name: "runtime", short: "r", value: "url", doc: "URL of the runtime (DESIGNER_RUNTIME_URL; default: from SERVICE_HOST and SERVICE_PORT)." },
];

/** Of commands that also start a runtime. */
export const includedDesignerFlags: readonly FlagDeclaration[] = [
  { name: "designer-port", value: "port", number: portNumber, doc: "Port of the designer; 0 selects a free port (DESIGNER_PORT, default 8090)." },
  workspaceFlag,
];

const onlyOfDesigner: Readonly<Record<string, string>> = { DESIGNER_HOST: "host", DESIGNER_RUNTIME_URL: "runtime" };

/** A message of `sluice designer` about a setting, with the name that the user wrote: the flag if it was passed, else the variable. */
export const inDesignerFlags = (message: string, flags: Values): string =>
  message.replace(/^DESIGNER_\w+/, (variable) => {
    const flag = onlyOfDesigner[variable];
    return flag === undefined || flags[flag] === undefined ? variable : `--${flag}`;
  });

/** The environment with the values of the flags. */
export function withDesignerFlags(environment: NodeJS.ProcessEnv, flags: Values, portFlag: "port" | "designerPort"): NodeJS.ProcessEnv {
  const values = [
    ["DESIGNER_PORT", textFlag(flags, portFlag)],
    ["DESIGNER_WORKSPACE", textFlag(flags, "workspace")],
    ...(portFlag === "port" ? Object.entries(onlyOfDesigner).map(([variable, flag]) => [variable, textFlag(flags, flag)]) : []),
  ];
  return { ...environment, ...Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
}
