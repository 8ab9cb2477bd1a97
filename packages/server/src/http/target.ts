// Parses the request target once: detects paths under `/_api` in any spelling, and normalizes all others. Paths must not be decoded
// again afterwards.

/** A path of user routes, a path of the management API, or an invalid one. */
export type Target =
  | { readonly kind: "route"; readonly path: string }
  | { readonly kind: "management"; readonly segments: readonly string[] | undefined }
  | { readonly kind: "invalid"; readonly problem: string };

const unservedTarget: Target = { kind: "management", segments: undefined };

/** Parses the path of a target, without its query. */
export function readTarget(raw: string): Target {
  const path = raw.charCodeAt(0) === 47 ? raw : pathOfAbsoluteForm(raw);
  if (path === undefined) return { kind: "invalid", problem: "the request target must be a path that begins with a slash" };
  if (path === "/_api" || path.startsWith("/_api/")) return managementTarget(path);
  if (path.includes("#")) return { kind: "invalid", problem: "the request target must not contain a fragment" };
  const normal = normalizePath(path);
  if (normal === undefined)
    return {
      kind: "invalid",
      problem: "the path has an invalid percent-encoding, an encoded slash, a backslash or a control character, or leaves the root with '..'",
    };
  return isUnderApi(normal) ? unservedTarget : { kind: "route", path: normal };
}

function managementTarget(path: string): Target {
  if (path === "/_api") return { kind: "management", segments: [] };
  const segments: string[] = [];
  for (const part of path.slice(6).split("/")) {
    // A segment that cannot be decoded is used as is; the check of ids rejects it.
    const segment = decode(part) ?? part;
    if (segment === "." || segment === "..") return unservedTarget;
    segments.push(segment);
  }
  return { kind: "management", segments };
}

function isUnderApi(normal: string): boolean {
  return normal.length >= 5 && normal.slice(0, 5).toLowerCase() === "/_api" && (normal.length === 5 || normal.charCodeAt(5) === 47);
}

/**
 * Decodes once, removes empty and `.` segments and a trailing slash, and resolves `..`. Undefined for paths that cannot be decoded,
 * leave the root, or contain an encoded slash, a backslash or a control character: servers would interpret such a path differently.
 */
export function normalizePath(path: string): string | undefined {
  const segments: string[] = [];
  for (const part of path.split("/")) {
    const segment = decode(part);
    if (segment === undefined || hasForbiddenCharacter(segment)) return undefined;
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return `/${segments.join("/")}`;
}

function decode(part: string): string | undefined {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function hasForbiddenCharacter(segment: string): boolean {
  for (let index = 0; index < segment.length; index++) {
    const code = segment.charCodeAt(index);
    if (code < 0x20 || code === 0x7f || code === 47 || code === 92) return true;
  }
  return false;
}

function pathOfAbsoluteForm(raw: string): string | undefined {
  const scheme = /^https?:\/\/[^/?#]*/i.exec(raw);
  if (scheme === null) return undefined;
  const path = raw.slice(scheme[0].length);
  return path === "" ? "/" : path.charCodeAt(0) === 47 ? path : undefined;
}
