// Routes of different files that cannot be deployed together.
import type { Diagnostic, Span } from "@sluice/model";
import type { Prepared } from "@sluice/server/check";

interface Owner {
  readonly path: string;
  readonly routeId: string;
}

export class Conflicts {
  readonly #ids = new Map<string, Owner>();
  readonly #claims = new Map<string, Owner>();

  /** The conflicts of this flow with those before it. */
  in(path: string, { flow, claims }: Prepared): readonly Diagnostic[] {
    const found: Diagnostic[] = [];
    for (const { id, span } of flow.routes) {
      const owner = ownerOf(this.#ids, id, { path, routeId: id });
      if (owner !== undefined) found.push(conflict("route-id", span, id, `route id '${id}' is already used in ${owner.path}`, "change one of the ids"));
    }
    for (const [claim, routeId] of claims) {
      const owner = ownerOf(this.#claims, claim, { path, routeId });
      const span = flow.routes.find(({ id }) => id === routeId)?.from.span;
      // A conflict of the ids is reported already.
      if (owner === undefined || span === undefined || owner.routeId === routeId) continue;
      found.push(
        conflict("claim", span, routeId, `${claim} is already served by route '${owner.routeId}' in ${owner.path}`, "give one of them another address"),
      );
    }
    return found;
  }
}

/** The owner in another file; without one, the name gets this owner. */
function ownerOf(owners: Map<string, Owner>, name: string, use: Owner): Owner | undefined {
  const owner = owners.get(name);
  if (owner === undefined) owners.set(name, use);
  return owner === undefined || owner.path === use.path ? undefined : owner;
}

const conflict = (kind: "route-id" | "claim", span: Span, routeId: string, message: string, hint: string): Diagnostic => ({
  code: `flow-conflict-${kind}`,
  severity: "error",
  message,
  path: "",
  span,
  routeId,
  hint,
});
