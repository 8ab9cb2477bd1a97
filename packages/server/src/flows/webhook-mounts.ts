import type { HttpIngress, HttpMount } from "@sluice/engine";

export interface WebhookMounts {
  /** Forwards mounts to the ingress and tracks them. */
  readonly port: HttpIngress;
  /** The current mounts, by path. */
  list(): readonly HttpMount[];
}

/** Tracks which paths and methods are served, for documentation. Requests are not affected. */
export function createWebhookMounts(ingress: HttpIngress): WebhookMounts {
  const mounts = new Set<HttpMount>();
  return {
    port: {
      mount(mount) {
        const unmount = ingress.mount(mount);
        mounts.add(mount);
        return () => {
          mounts.delete(mount);
          unmount();
        };
      },
    },
    list: () => [...mounts].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
  };
}
