// The way of a webhook request from its head to its reply: which route, may the caller, is there room, then the body,
// then the route. Reading sockets is the listener's part, what a message is the connector's.
import type { HttpIngress, HttpMount } from "@sluice/engine/spi";
import type { Arrival } from "./arrival.ts";
import type { IngressOptions } from "./ingress-options.ts";
import { MountTable, type Mounted } from "./mount-table.ts";
import { StoppedMounts } from "./stopped-mounts.ts";
import { WebhookCall } from "./webhook-call.ts";

export interface Ingress {
  /** What connectors are handed as `host.http`. */
  readonly port: HttpIngress;
  /** Serves a request on a fixed path spelled in its normal form; false when there is none, which `serve` then sorts out. */
  serveExact(arrival: Arrival, rawPath: string): boolean;
  serve(arrival: Arrival, path: string): void;
  /** Whether a route takes requests of this method at this path, in its normal form. */
  serves(path: string, method: string): boolean;
  /** Requests whose reply is still to come. */
  readonly active: number;
  /** Calls back once, when nothing is active any more. */
  whenIdle(listener: () => void): void;
}

export function createIngress(options: IngressOptions): Ingress {
  const mounts = new MountTable();
  const stopped = new StoppedMounts(options.isStopped ?? (() => false));
  const { limits } = options;
  let active = 0;
  let idleListeners: (() => void)[] = [];

  function mount(mount: HttpMount): () => void {
    const unmount = mounts.add(mount);
    stopped.serves(mount);
    let mounted = true;
    return () => {
      if (!mounted) return;
      mounted = false;
      unmount();
      stopped.left(mount);
    };
  }

  function start(arrival: Arrival, mounted: Mounted, path: string, params: Readonly<Record<string, string>>): void {
    if (active >= limits.maxConcurrent || mounted.load.active >= limits.maxConcurrentPerRoute) {
      arrival.refuse(503, "too many requests at the same time", { "Retry-After": "1" });
      return;
    }
    active++;
    mounted.load.active++;
    new WebhookCall(arrival, mounted, path, params, options, finished).begin();
  }

  function finished(mounted: Mounted): void {
    mounted.load.active--;
    if (--active > 0 || idleListeners.length === 0) return;
    const listeners = idleListeners;
    idleListeners = [];
    for (const listener of listeners) listener();
  }

  /** Nothing serves this path with this method: say what is wrong, and only that. */
  function decline(arrival: Arrival, path: string): void {
    const { method } = arrival;
    const allow = mounts.allowed(path);
    if (allow === undefined) {
      if (stopped.has(path, method)) arrival.refuse(503, "the route is stopped", { "Retry-After": "1" });
      else arrival.refuse(404, path.startsWith("/api/") ? `no webhook route '${path.slice(5, 205)}'` : "nothing is served at this path");
    } else if (method === "OPTIONS") arrival.reply(204, { Allow: allow, ...preflight(arrival, path) }, undefined);
    else arrival.refuse(405, "method not allowed", { Allow: allow });
  }

  function preflight(arrival: Arrival, path: string): Readonly<Record<string, string>> | undefined {
    const mounted = mounts.any(path);
    if (mounted === undefined) return undefined;
    const { flowId, routeId } = mounted.mount;
    return options
      .accessOf?.(flowId)
      ?.preflight?.({ flowId, routeId, method: "OPTIONS", path, query: arrival.query, rawHeaders: arrival.rawHeaders, remoteAddress: arrival.remoteAddress });
  }

  return {
    port: { mount },
    serveExact(arrival, rawPath) {
      const mounted = arrival.method === "OPTIONS" ? undefined : mounts.exact(rawPath, arrival.method);
      if (mounted === undefined) return false;
      start(arrival, mounted, rawPath, noParams);
      return true;
    },
    serve(arrival, path) {
      const found = arrival.method === "OPTIONS" ? mounts.findExplicit(path, "OPTIONS") : mounts.find(path, arrival.method);
      if (found === undefined) decline(arrival, path);
      else start(arrival, found.mounted, path, found.params);
    },
    serves: (path, method) => (method === "OPTIONS" ? mounts.findExplicit(path, method) : mounts.find(path, method)) !== undefined,
    get active() {
      return active;
    },
    whenIdle(listener) {
      if (active === 0) listener();
      else idleListeners.push(listener);
    },
  };
}

const noParams: Readonly<Record<string, string>> = Object.freeze({});
