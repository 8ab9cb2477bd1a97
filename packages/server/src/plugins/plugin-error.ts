import { SettingsError } from "../config.ts";

/** Why an entry of SERVICE_CONNECTORS or SERVICE_KAMELETS, or the module of SERVICE_FUNCTIONS, cannot be used. */
export interface PluginProblem {
  readonly code: "plugin-missing" | "plugin-failed" | "plugin-invalid" | "plugin-conflict" | "kamelets-missing";
  /** The manifest or module with the problem, or the entry if nothing was found. */
  readonly file: string;
  readonly message: string;
  readonly fix: string;
}

/** Extensions cannot be loaded; lists the problems of all entries. */
export class PluginError extends SettingsError {
  readonly problems: readonly PluginProblem[];

  constructor(problems: readonly PluginProblem[]) {
    super(problems.map(({ code, message, fix }) => `${code}: ${message}; ${fix}`));
    this.problems = problems;
  }
}
