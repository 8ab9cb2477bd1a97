// The runtimes this designer can deploy to. A target names the variable that holds its token; the token itself is looked up
// here, on the server, and never leaves it but towards that runtime.
import { HttpError } from "../http/http-error.ts";
import type { Workspace } from "../workspace/workspace.ts";

export interface Target {
  readonly name: string;
  readonly baseUrl: string;
  readonly tokenEnv: string;
}

const stateFile = "targets.json";
const namePattern = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/;
// Only variables that hold tokens can be named: the page must not be able to send just any secret somewhere.
const variablePattern = /^[A-Z][A-Z0-9_]*TOKEN[A-Z0-9_]*$/;

export class Targets {
  #targets: readonly Target[];
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #workspace: Workspace;

  private constructor(targets: readonly Target[], environment: Readonly<Record<string, string | undefined>>, workspace: Workspace) {
    this.#targets = targets;
    this.#environment = environment;
    this.#workspace = workspace;
  }

  /** The targets given at start, and those added in the settings; a given one wins over a stored one of the same name. */
  static async load(given: readonly Target[], environment: Readonly<Record<string, string | undefined>>, workspace: Workspace): Promise<Targets> {
    const stored = readStored(await workspace.readState(stateFile));
    const names = new Set(given.map(({ name }) => name));
    return new Targets([...given, ...stored.filter(({ name }) => !names.has(name))], environment, workspace);
  }

  list(): readonly (Target & { readonly hasToken: boolean })[] {
    return this.#targets.map((target) => ({ ...target, hasToken: this.tokenOf(target) !== undefined }));
  }

  /** The named target; the first one when none is named. */
  find(name: string | undefined): Target {
    const target = name === undefined || name === "" ? this.#targets[0] : this.#targets.find((candidate) => candidate.name === name);
    if (target === undefined)
      throw new HttpError(404, name === undefined ? "there is no target: add one in Settings" : `target '${name.slice(0, 60)}' not found`);
    return target;
  }

  tokenOf({ tokenEnv }: Target): string | undefined {
    const token = this.#environment[tokenEnv]?.trim();
    return token === "" ? undefined : token;
  }

  async replace(raw: unknown): Promise<void> {
    if (!Array.isArray(raw) || raw.length > 50) throw new HttpError(400, "targets must be a list");
    const targets = raw.map(checked);
    if (new Set(targets.map(({ name }) => name)).size !== targets.length) throw new HttpError(422, "two targets have the same name");
    await this.#workspace.writeState(stateFile, `${JSON.stringify(targets, null, 2)}\n`);
    this.#targets = targets;
  }
}

function checked(raw: unknown): Target {
  const { name, baseUrl, tokenEnv } = (raw ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || !namePattern.test(name)) throw new HttpError(422, "a target needs a name of letters, digits, '.', '_', '-' (max 40)");
  if (typeof tokenEnv !== "string" || !variablePattern.test(tokenEnv))
    throw new HttpError(422, `target '${name}': the token variable must be in capitals and contain TOKEN, such as PROD_DEPLOY_TOKEN`);
  return { name, baseUrl: urlOf(name, baseUrl), tokenEnv };
}

function urlOf(name: string, raw: unknown): string {
  const url = typeof raw === "string" && URL.canParse(raw) ? new URL(raw) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new HttpError(422, `target '${name}': the address must look like https://runtime.example.com`);
  }
  return url.href.replace(/\/+$/, "");
}

function readStored(text: string | undefined): readonly Target[] {
  try {
    return text === undefined ? [] : (JSON.parse(text) as unknown[]).map(checked);
  } catch {
    return [];
  }
}
