import type { HttpIngress, HttpMount } from "@sluice/engine";

export interface WebhookMounts {
  /** Hands mounts on and remembers them while they last. */
  readonly port: HttpIngress;
  /** What is mounted now, by path. */
  list(): readonly HttpMount[];
}

/** Which paths and methods routes serve, for those who describe them. Requests do not come by here. */
export function createWebhookMounts(ingress: HttpIngress): WebhookMounts {
  const mounted = new Set<HttpMount>();
  return {
    port: {
      mount(mount) {
        const unmount = ingress.mount(mount);
        mounted.add(mount);
        return () => {
          mounted.delete(mount);
          unmount();
        };
      },
    },
    list: () => [...mounted].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
  };
}
