// Remembers former mounts, so that callers of a stopped route get 503 instead of 404. Whether a route is stopped or removed is checked
// on each call, so removals do not have to be reported.
import type { HttpMount } from "@sluice/engine/spi";
import { MountTable } from "./mount-table.ts";

const kept = 10_000;

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
    if (this.#forget.size > kept) this.#drop(this.#forget.keys().next().value as string);
  }

  has(path: string, method: string): boolean {
    const former = this.#table.find(path, method)?.mounted.mount ?? this.#table.any(path)?.mount;
    if (former === undefined) return path.startsWith("/api/") && this.#isStopped(path.slice(5));
    if (this.#isStopped(former.routeId)) return true;
    this.#drop(keyOf(former));
    return false;
  }

  #drop(key: string): void {
    this.#forget.get(key)?.();
    this.#forget.delete(key);
  }
}

function keyOf(mount: HttpMount): string {
  return `${mount.routeId} ${mount.path}`;
}
