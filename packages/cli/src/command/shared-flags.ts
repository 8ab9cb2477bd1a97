import type { FlagDeclaration } from "./declaration.ts";

export const jsonFlag: FlagDeclaration = { name: "json", doc: "Print JSON instead of text." };

/** How a command finds the runtime it talks to. */
export const runtimeFlags: readonly FlagDeclaration[] = [
  { name: "runtime", short: "r", value: "url", doc: "The runtime to talk to (SLUICE_RUNTIME, else the one of SERVICE_HOST and SERVICE_PORT)." },
  { name: "token-file", value: "file", doc: "A file with the deploy token (else SERVICE_DEPLOY_TOKEN, else the one `sluice start` keeps)." },
];

export const runtimeVariables: Readonly<Record<string, string>> = {
  SLUICE_RUNTIME: "the runtime to talk to, such as https://runtime.example.com",
  SERVICE_DEPLOY_TOKEN: "its deploy token",
};

export const paramFlag: FlagDeclaration = {
  name: "param",
  short: "p",
  value: "name=value",
  many: true,
  doc: "A parameter of the flow; may be given several times.",
};
