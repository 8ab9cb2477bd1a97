// Stores former mounts, so that callers of a stopped route get 503 instead of 404. Each call checks whether the route is stopped or
// removed, so removals do not have to be reported.
import type { HttpMount } from "@sluice/engine/spi";
import { MountTable } from "./mount-table.ts";

const maxMounts = 10_000;

export class StoppedMounts {
  readonly #isStopped: (routeId: string) => boolean;
  readonly #table = new MountTable();
  /** Functions that remove a former mount, by route and path, oldest first. */
  readonly #removers = new Map<string, () => void>();

  constructor(isStopped: (routeId: string) => boolean) {
    this.#isStopped = isStopped;
  }

  onMount(mount: HttpMount): void {
    this.#drop(keyOf(mount));
  }

  onUnmount(mount: HttpMount): void {
    const { path, methods, prefix, flowId, routeId } = mount;
    const key = keyOf(mount);
    this.#drop(key);
    this.#removers.set(key, this.#table.add({ path, methods, prefix, flowId, routeId, handle: () => ({ status: 503, headers: undefined, body: undefined }) }));
    if (this.#removers.size > maxMounts) this.#drop(this.#removers.keys().next().value as string);
  }

  /** The id of the stopped route that served this path; undefined when there is none. */
  routeAt(path: string, method: string): string | undefined {
    const formerMount = this.#table.find(path, method)?.mounted.mount ?? this.#table.any(path)?.mount;
    const routeId = formerMount?.routeId ?? (path.startsWith("/api/") ? path.slice(5) : undefined);
    if (routeId !== undefined && this.#isStopped(routeId)) return routeId;
    if (formerMount !== undefined) this.#drop(keyOf(formerMount));
    return undefined;
  }

  #drop(key: string): void {
    this.#removers.get(key)?.();
    this.#removers.delete(key);
  }
}

function keyOf(mount: HttpMount): string {
  return `${mount.routeId} ${mount.path}`;
}
