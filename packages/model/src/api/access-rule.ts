// Which calls an access rule applies to: shared by the runtime, which enforces it, and the designer, which shows it.
import { starPattern } from "../text/star-pattern.ts";

export interface RuleScope {
  /** Route ids; `*` matches any characters. Undefined means every route. */
  readonly routes?: readonly string[] | undefined;
  /** Undefined means every method; GET includes HEAD. */
  readonly methods?: readonly string[] | undefined;
}

export function ruleMatcher({ routes, methods }: RuleScope): (routeId: string, method: string) => boolean {
  const patterns = routes?.map(starPattern);
  return (routeId, method) =>
    (patterns?.some((pattern) => pattern(routeId)) ?? true) &&
    (methods?.some((listed) => listed === method || (method === "HEAD" && listed === "GET")) ?? true);
}
