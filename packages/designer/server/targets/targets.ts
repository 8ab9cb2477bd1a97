// The runtimes this designer can deploy to. A target names the environment variable that contains its token; the token is read here, on the server,
// and sent only to that runtime.
import { HttpError } from "../http/http-error.ts";
import type { Workspace } from "../workspace/workspace.ts";

export interface Target {
  readonly name: string;
  readonly baseUrl: string;
  readonly tokenEnv: string;
}

const stateFile = "targets.json";
const namePattern = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/;
/** Only variables with these names can be used, so that the page cannot send other secrets of the environment to a target. */
const variablePattern = /^(SERVICE_DEPLOY_TOKEN|SLUICE_([A-Z0-9]+_)+TOKEN)$/;

/** The error for a variable that must not be used as a token. */
export const invalidVariable = (name: string): string =>
  `the variable '${name.slice(0, 60)}' cannot be used as a token: use SERVICE_DEPLOY_TOKEN or a name such as SLUICE_STAGING_TOKEN`;

/** A token and a new address to send it to. */
export interface NewAddress {
  readonly target: string;
  readonly address: string;
  readonly tokenEnv: string;
}

export class Targets {
  #targets: readonly Target[];
  readonly #stored: StoredTargets;
  /** Variables named by the targets given at start; the operator may use any name. */
  readonly #initialVariables: ReadonlySet<string>;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #workspace: Workspace;

  private constructor(initial: readonly Target[], stored: StoredTargets, environment: Readonly<Record<string, string | undefined>>, workspace: Workspace) {
    const names = new Set(initial.map(({ name }) => name));
    this.#targets = [...initial, ...stored.targets.filter(({ name }) => !names.has(name))];
    this.#stored = stored;
    this.#initialVariables = new Set(initial.map(({ tokenEnv }) => tokenEnv));
    this.#environment = environment;
    this.#workspace = workspace;
  }

  /** The targets given at start and those added in the settings; the former take precedence if names are equal. */
  static async load(initial: readonly Target[], environment: Readonly<Record<string, string | undefined>>, workspace: Workspace): Promise<Targets> {
    return new Targets(initial, readStored(await workspace.readState(stateFile)), environment, workspace);
  }

  list(): readonly (Target & { readonly hasToken: boolean })[] {
    return this.#targets.map((target) => ({ ...target, hasToken: this.tokenOf(target) !== undefined }));
  }

  /** The named target, or the first one. */
  find(name: string | undefined): Target {
    const target = name === undefined || name === "" ? this.#targets[0] : this.#targets.find((candidate) => candidate.name === name);
    if (target === undefined) throw new HttpError(404, name === undefined ? "no targets: add one in Settings" : `target '${name.slice(0, 60)}' not found`);
    return target;
  }

  tokenOf(target: Target): string | undefined {
    const token = this.isTokenVariable(target) ? this.#environment[target.tokenEnv]?.trim() : undefined;
    return token === "" ? undefined : token;
  }

  isTokenVariable({ tokenEnv }: Target): boolean {
    return variablePattern.test(tokenEnv) || this.#initialVariables.has(tokenEnv);
  }

  /** Validates the targets of a request. An existing target may keep its token variable, even if a new target could not use it. */
  read(raw: unknown): readonly Target[] {
    if (!Array.isArray(raw) || raw.length > 50) throw new HttpError(400, "targets must be a list of at most 50 targets");
    const targets = raw.map(checkTarget);
    for (const target of targets) {
      const { name, tokenEnv } = target;
      if (!this.isTokenVariable(target) && !this.#targets.some((existing) => existing.name === name && existing.tokenEnv === tokenEnv))
        throw new HttpError(422, `target '${name}': ${invalidVariable(tokenEnv)}`);
    }
    if (new Set(targets.map(({ name }) => name)).size !== targets.length)
      throw new HttpError(422, "two targets have the same name: choose another name for one of them");
    return targets;
  }

  /** The targets that would send a token to a new address. */
  newAddresses(targets: readonly Target[]): readonly NewAddress[] {
    const existing = new Set(this.#targets.map((target) => pairOf(target)));
    return targets
      .filter((target) => !existing.has(pairOf(target)))
      .map(({ name, baseUrl, tokenEnv }) => ({ target: name, address: new URL(baseUrl).origin, tokenEnv }));
  }

  async replace(targets: readonly Target[]): Promise<void> {
    const { invalid, problem } = this.#stored;
    if (problem !== undefined)
      throw new HttpError(409, `.sluice/${stateFile} is not a JSON list (${problem}): correct or delete it, then restart the designer`);
    await this.#workspace.writeState(stateFile, `${JSON.stringify([...targets, ...invalid], null, 2)}\n`);
    this.#targets = targets;
  }
}

const pairOf = ({ baseUrl, tokenEnv }: Target): string => `${tokenEnv} ${new URL(baseUrl).origin}`;

function checkTarget(raw: unknown): Target {
  const { name, baseUrl, tokenEnv } = (raw ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || !namePattern.test(name))
    throw new HttpError(422, "invalid target name: use at most 40 letters, digits, spaces, '.', '_' or '-', and start with a letter or digit");
  if (typeof tokenEnv !== "string" || tokenEnv === "")
    throw new HttpError(422, `target '${name}' needs the name of a token variable, such as SLUICE_STAGING_TOKEN`);
  return { name, baseUrl: urlOf(name, baseUrl), tokenEnv };
}

function urlOf(name: string, raw: unknown): string {
  const url = typeof raw === "string" && URL.canParse(raw) ? new URL(raw) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new HttpError(422, `target '${name}': the address must have the form https://runtime.example.com`);
  }
  return url.href.replace(/\/+$/, "");
}

interface StoredTargets {
  readonly targets: readonly Target[];
  /** Invalid entries; they are written back, so that they can be corrected in the file. */
  readonly invalid: readonly unknown[];
  /** Why the file cannot be read; it is then not overwritten. */
  readonly problem?: string;
}

function readStored(text: string | undefined): StoredTargets {
  const targets: Target[] = [];
  const invalid: unknown[] = [];
  try {
    for (const entry of text === undefined ? [] : (JSON.parse(text) as Iterable<unknown>)) {
      try {
        targets.push(checkTarget(entry));
      } catch {
        invalid.push(entry);
      }
    }
  } catch (error) {
    return { targets: [], invalid: [], problem: (error as Error).message };
  }
  return { targets, invalid };
}
