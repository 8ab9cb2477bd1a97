// Handles a webhook request from its head to its reply: route lookup, limits, access check, body, route. The listener reads sockets;
// connectors turn requests into messages.
import type { HttpIngress } from "@sluice/engine";
import type { HttpMount } from "@sluice/engine/spi";
import type { InboundRequest } from "./inbound-request.ts";
import type { IngressOptions } from "./ingress-options.ts";
import { MountTable, type Mounted } from "./mount-table.ts";
import { StoppedMounts } from "./stopped-mounts.ts";
import { WebhookCall } from "./webhook-call.ts";

export interface Ingress {
  /** Passed to connectors as `host.http`. */
  readonly port: HttpIngress;
  /** Serves a request on a fixed, already normalized path. Returns false when there is no such path; then `serve` must be used. */
  serveExact(inbound: InboundRequest, rawPath: string): boolean;
  serve(inbound: InboundRequest, path: string): void;
  /** Whether a route accepts this method at this normalized path. */
  serves(path: string, method: string): boolean;
  /** Whether a route is mounted at this normalized path for any method, or was until it was stopped. */
  hasRoute(path: string, method: string): boolean;
  /** Requests without a reply yet. */
  readonly active: number;
  /** Calls back once when no request is active. */
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
    stopped.onMount(mount);
    let isMounted = true;
    return () => {
      if (!isMounted) return;
      isMounted = false;
      unmount();
      stopped.onUnmount(mount);
    };
  }

  function start(inbound: InboundRequest, mounted: Mounted, path: string, params: Readonly<Record<string, string>>): void {
    if (active >= limits.maxConcurrent || mounted.load.active >= limits.maxConcurrentPerRoute) {
      inbound.refuse({ code: "saturated", message: "too many concurrent requests", headers: { "Retry-After": "1" } });
      return;
    }
    active++;
    mounted.load.active++;
    new WebhookCall(inbound, mounted, path, params, options, onFinished).begin();
  }

  function onFinished(mounted: Mounted): void {
    mounted.load.active--;
    if (--active > 0 || idleListeners.length === 0) return;
    const listeners = idleListeners;
    idleListeners = [];
    for (const listener of listeners) listener();
  }

  /** Replies to a request that no route serves: an error, or 204 with the allowed methods for OPTIONS. */
  function replyUnserved(inbound: InboundRequest, path: string): void {
    const { method } = inbound;
    const allow = mounts.allowed(path);
    if (allow === undefined) {
      const stoppedRoute = stopped.routeAt(path, method);
      if (stoppedRoute !== undefined) inbound.refuse({ code: "route-stopped", message: `route '${stoppedRoute}' is stopped`, headers: { "Retry-After": "1" } });
      else {
        const message = path.startsWith("/api/") ? `no webhook route '${path.slice(5, 205)}'` : "no route is served at this path";
        inbound.refuse({ code: "not-found", message });
      }
    } else if (method === "OPTIONS") inbound.reply(204, { Allow: allow, ...preflight(inbound, path) }, undefined);
    else inbound.refuse({ code: "method-not-allowed", message: "method not allowed", headers: { Allow: allow } });
  }

  function preflight(inbound: InboundRequest, path: string): Readonly<Record<string, string>> | undefined {
    const mounted = mounts.any(path);
    if (mounted === undefined) return undefined;
    const { flowId, routeId, preflight: routeHeaders } = mounted.mount;
    const { query, rawHeaders, remoteAddress } = inbound;
    // The operator's policy overrides the flow.
    return { ...routeHeaders, ...options.accessOf?.(flowId)?.preflight?.({ flowId, routeId, method: "OPTIONS", path, query, rawHeaders, remoteAddress }) };
  }

  return {
    port: { mount },
    serveExact(inbound, rawPath) {
      const mounted = inbound.method === "OPTIONS" ? undefined : mounts.exact(rawPath, inbound.method);
      if (mounted === undefined) return false;
      start(inbound, mounted, rawPath, noParams);
      return true;
    },
    serve(inbound, path) {
      const match = inbound.method === "OPTIONS" ? mounts.findExplicit(path, "OPTIONS") : mounts.find(path, inbound.method);
      if (match === undefined) replyUnserved(inbound, path);
      else start(inbound, match.mounted, path, match.params);
    },
    serves: (path, method) => (method === "OPTIONS" ? mounts.findExplicit(path, method) : mounts.find(path, method)) !== undefined,
    hasRoute: (path, method) => mounts.allowed(path) !== undefined || stopped.routeAt(path, method) !== undefined,
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
