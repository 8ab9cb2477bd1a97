// What a webhook route claims: one text per method and path, spelled so that equal texts mean a collision. Patterns
// lose their names, letter case and a trailing slash do not tell paths apart.
import { CompileError } from "@sluice/engine/spi";
import { claimsReservedPath } from "@sluice/model";

const everyMethod = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The claims of a mount, e.g. `POST /api/orders`; a prefix also claims `POST /api/orders/**`. */
export function claimsOf(path: string, methods: readonly string[] | undefined, prefix: boolean): readonly string[] {
  const normal = claimedPath(path);
  return (methods ?? everyMethod).flatMap((method) =>
    prefix ? [`${method} ${normal}`, `${method} ${normal === "/" ? "" : normal}/**`] : [`${method} ${normal}`],
  );
}

/** Throws when a route's path would lie under, or could match, the management API. */
export function checkNotReserved(routeId: string, path: string, prefix: boolean): void {
  if (!claimsReservedPath(path, { prefix })) return;
  const shown = prefix && path === "/" ? "/*" : path;
  const first = claimedPath(path).split("/")[1];
  // What only matches such paths is not seen to claim them: say what is missing.
  const more = first === "" || first === "{}" || first === "*" ? "; name a first segment" : "";
  throw new CompileError("flow-reserved-path", `route '${routeId}' claims reserved path '${shown}': paths under /_api belong to the management API${more}`, {
    hint: "name a first segment other than _api",
  });
}

/** The address under `/api` that every webhook route has, as it is spelled in a URL. An id that would lead out of there is a fault of the flow. */
export function routePath(routeId: string): string {
  if (routeId.split("/").some((segment) => segment === "." || segment === ".."))
    throw new CompileError("route-id-invalid", `route id '${routeId}' cannot be an address: '.' and '..' are no names`, { hint: "give the route another id" });
  if (/\p{Surrogate}/u.test(routeId))
    throw new CompileError("route-id-invalid", "the id of the route cannot be an address: half of a surrogate pair is no character", {
      hint: "give the route another id",
    });
  return `/api/${routeId.split("/").map(encodeURIComponent).join("/")}`;
}

function claimedPath(path: string): string {
  const kept: string[] = [];
  for (const part of path.split("/")) {
    const segment = /^\{[^{}]+\}$/.test(part) ? "{}" : decode(part).toLowerCase();
    if (segment === "" || segment === ".") continue;
    if (segment === "..") kept.pop();
    else kept.push(segment);
  }
  return `/${kept.join("/")}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
