import type { FlagDeclaration } from "./declaration.ts";

export const jsonFlag: FlagDeclaration = { name: "json", doc: "Print JSON instead of text." };

/** For commands that follow a stream. */
export const forFlag: FlagDeclaration = { name: "for", value: "seconds", number: { min: 1, max: 2_000_000 }, doc: "Stop after this many seconds." };

/** For commands that remove something. */
export const yesFlag: FlagDeclaration = { name: "yes", short: "y", doc: "Do not ask for confirmation." };

/** Flags that select the runtime and its token. */
export const runtimeFlags: readonly FlagDeclaration[] = [
  { name: "runtime", short: "r", value: "url", doc: "URL of the runtime (default: SLUICE_RUNTIME, else SERVICE_HOST and SERVICE_PORT)." },
  { name: "token-file", value: "file", doc: "File with the deploy token (default: SERVICE_DEPLOY_TOKEN, else the token that `sluice start` created)." },
];

export const runtimeVariables = {
  SLUICE_RUNTIME: "URL of the runtime, for example https://runtime.example.com",
  SERVICE_DEPLOY_TOKEN: "deploy token of the runtime",
};

/** For commands that create a version of a flow. */
export const commentFlag: FlagDeclaration = { name: "comment", value: "text", doc: "Description of the change, for the version history." };

export const authorVariables: Readonly<Record<string, string>> = {
  SLUICE_AUTHOR: "author in the version history (default: the name of the current user)",
};

/** For commands that fail if they find nothing to do. */
export const allowEmptyFlag: FlagDeclaration = { name: "allow-empty", doc: "Succeed if nothing is found." };

/** Without the flag, SERVICE_PROFILE selects the profile, as for the runtime. */
export const profileFlag: FlagDeclaration = {
  name: "profile",
  value: "name",
  kind: "profile",
  doc: "Profile: application-<name>.properties overrides application.properties (default: SERVICE_PROFILE; if that is not set, lint, test and dev use 'dev').",
};

export const paramFlag: FlagDeclaration = {
  name: "param",
  short: "p",
  value: "name=value",
  many: true,
  kind: "parameter",
  doc: "Set a flow parameter; repeatable.",
};
