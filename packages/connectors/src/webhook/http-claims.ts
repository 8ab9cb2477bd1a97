// The paths a webhook route claims: one normalized string per method and path, so that equal strings mean a conflict. Parameter
// names, letter case and a trailing slash are ignored.
import { CompileError } from "@sluice/engine/spi";
import { claimsReservedPath } from "@sluice/model";

const allMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The claims of a mount, e.g. `POST /api/orders`; a prefix also claims `POST /api/orders/**`. */
export function claimsOf(path: string, methods: readonly string[] | undefined, prefix: boolean): readonly string[] {
  const normalized = claimedPath(path);
  return (methods ?? allMethods).flatMap((method) =>
    prefix ? [`${method} ${normalized}`, `${method} ${normalized === "/" ? "" : normalized}/**`] : [`${method} ${normalized}`],
  );
}

/** Throws when a path is under, or could match, the management API. */
export function checkNotReserved(routeId: string, path: string, prefix: boolean): void {
  if (!claimsReservedPath(path, { prefix })) return;
  const shown = prefix && path === "/" ? "/*" : path;
  const first = claimedPath(path).split("/")[1];
  // A pattern that could match a reserved path: the message names the fix.
  const advice = first === "" || first === "{}" || first === "*" ? "; name a first segment" : "";
  throw new CompileError("flow-reserved-path", `route '${routeId}' claims reserved path '${shown}': paths under /_api belong to the management API${advice}`, {
    hint: "start the path with a segment other than _api",
  });
}

/** The encoded path under `/api` of a webhook route. An id that would leave `/api` is an error of the flow. */
export function routePath(routeId: string): string {
  if (routeId.split("/").some((segment) => segment === "." || segment === ".."))
    throw new CompileError("route-id-invalid", `route id '${routeId}' cannot be used as a path: '.' and '..' are not allowed`, {
      hint: "give the route another id",
    });
  if (/\p{Surrogate}/u.test(routeId))
    throw new CompileError("route-id-invalid", "the id of the route cannot be used as a path: it contains an unpaired surrogate", {
      hint: "give the route another id",
    });
  return `/api/${routeId.split("/").map(encodeURIComponent).join("/")}`;
}

function claimedPath(path: string): string {
  const segments: string[] = [];
  for (const part of path.split("/")) {
    // Before decoding: encoded braces are literal characters, not parameters.
    const segment = decode(part.replaceAll(/\{[^{}]+\}/g, "{}")).toLowerCase();
    if (segment === "" || segment === ".") continue;
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
