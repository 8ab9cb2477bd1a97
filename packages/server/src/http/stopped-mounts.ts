// Remembers former mounts, so that callers of a stopped route get 503 instead of 404. Whether a route is stopped or removed is checked
// on each call, so removals do not have to be reported.
import type { HttpMount } from "@sluice/engine/spi";
import { MountTable } from "./mount-table.ts";

const maxMounts = 10_000;

export class StoppedMounts {
  readonly #isStopped: (routeId: string) => boolean;
  readonly #table = new MountTable();
  /** By route and path, oldest first. */
  readonly #forget = new Map<string, () => void>();

  constructor(isStopped: (routeId: string) => boolean) {
    this.#isStopped = isStopped;
  }

  serves(mount: HttpMount): void {
    this.#drop(keyOf(mount));
  }

  left(mount: HttpMount): void {
    const { path, methods, prefix, flowId, routeId } = mount;
    const key = keyOf(mount);
    this.#drop(key);
    this.#forget.set(key, this.#table.add({ path, methods, prefix, flowId, routeId, handle: () => ({ status: 503, headers: undefined, body: undefined }) }));
    if (this.#forget.size > maxMounts) this.#drop(this.#forget.keys().next().value as string);
  }

  /** The id of the stopped route that served this path; undefined when there is none. */
  routeAt(path: string, method: string): string | undefined {
    const former = this.#table.find(path, method)?.mounted.mount ?? this.#table.any(path)?.mount;
    const routeId = former?.routeId ?? (path.startsWith("/api/") ? path.slice(5) : undefined);
    if (routeId !== undefined && this.#isStopped(routeId)) return routeId;
    if (former !== undefined) this.#drop(keyOf(former));
    return undefined;
  }

  #drop(key: string): void {
    this.#forget.get(key)?.();
    this.#forget.delete(key);
  }
}

function keyOf(mount: HttpMount): string {
  return `${mount.routeId} ${mount.path}`;
}
