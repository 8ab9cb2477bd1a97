// Checks whether the webhooks of a flow stay compatible with existing callers.

/** A request that a route answers, as declared. */
export interface WebhookOperation {
  /** `*` for all methods. */
  readonly method: string;
  /** Ends with `/*` when paths below it are served too. */
  readonly path: string;
  /** The parameters that a request must have; `body` is the request body. */
  readonly required: readonly string[];
  /** Allowed values by parameter; parameters that are not listed accept any value. */
  readonly allowed: Readonly<Record<string, readonly string[]>>;
  /** Accepted content types; empty for all. */
  readonly consumes: readonly string[];
}

export interface WebhookDifference {
  /** False when a request that was answered before may be rejected now. */
  readonly kept: boolean;
  /** In the form `POST /api/orders`. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Operations that reject more requests than before. */
  readonly stricter: readonly StricterOperation[];
}

export interface StricterOperation {
  readonly operation: string;
  /** Parameters that are required now. */
  readonly required: readonly string[];
  /** Parameters with fewer allowed values. */
  readonly restricted: readonly string[];
  /** Content types that are no longer accepted; `*` when all were accepted. */
  readonly contentTypes: readonly string[];
}

export function webhookDifference(before: readonly WebhookOperation[], after: readonly WebhookOperation[]): WebhookDifference {
  const removed = before.filter((previous) => !after.some((current) => serves(current, previous)));
  const added = after.filter((current) => !before.some((previous) => serves(previous, current)));
  const stricter = before.flatMap((previous) => {
    const current = after.find((candidate) => callKey(candidate) === callKey(previous)) ?? after.find((candidate) => serves(candidate, previous));
    return current === undefined ? [] : strictnessOf(previous, current);
  });
  return { kept: removed.length === 0 && stricter.length === 0, added: added.map(nameOf), removed: removed.map(nameOf), stricter };
}

const nameOf = ({ method, path }: WebhookOperation): string => `${method} ${path}`;

/** The names of path parameters are not visible to callers. */
const callPath = (path: string): string => path.replaceAll(/\{[^{}]+\}/g, "{}");
const callKey = ({ method, path }: WebhookOperation): string => `${method} ${callPath(path)}`;

/** True when every request of `requested` has a path and method that `operation` serves. */
function serves(operation: WebhookOperation, requested: WebhookOperation): boolean {
  if (operation.method !== "*" && operation.method !== requested.method) return false;
  const [servedPath, requestedPath] = [callPath(operation.path), callPath(requested.path)];
  if (servedPath === requestedPath) return true;
  if (!servedPath.endsWith("/*")) return false;
  const base = servedPath.slice(0, -2);
  return requestedPath === base || requestedPath.startsWith(`${base}/`);
}

function strictnessOf(previous: WebhookOperation, current: WebhookOperation): readonly StricterOperation[] {
  const required = current.required.filter((name) => !previous.required.includes(name));
  const restricted = Object.keys(current.allowed).filter((name) => {
    const previousValues = previous.allowed[name];
    return previousValues === undefined || previousValues.some((value) => current.allowed[name]?.includes(value) === false);
  });
  const accepted = previous.consumes.length === 0 ? ["*"] : previous.consumes;
  const contentTypes = current.consumes.length === 0 ? [] : accepted.filter((type) => !current.consumes.includes(type));
  return required.length + restricted.length + contentTypes.length === 0 ? [] : [{ operation: nameOf(current), required, restricted, contentTypes }];
}
