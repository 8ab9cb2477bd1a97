// A dedicated connection of one source, opened through a shared one: losing it does not close the client that others use.
import type { Connection, ConnectionState } from "@sluice/engine/spi";
import type { SubscribableConnection } from "./while-connected.ts";

export interface DedicatedLink<C, L> {
  /** Opens the connection; call `lost` when it breaks. */
  open(client: C, lost: (problem: string) => void): Promise<L>;
  close(link: L): Promise<void>;
  /** Called when the connection could not be closed, for the log. */
  failed(problem: unknown): void;
}

/** The dedicated connection. It is lost together with the shared client, and reopened when the shared client is replaced. */
export function dedicatedLink<C, L>(shared: Connection<C>, { open, close, failed }: DedicatedLink<C, L>): SubscribableConnection<L> {
  const watchers = new Set<(state: ConnectionState) => void>();
  let current: L | undefined;
  let unwatch: (() => void) | undefined;
  let generation = 0;
  const drop = async (link: L): Promise<void> => {
    if (current === link) current = undefined;
    await close(link).catch(failed);
  };
  return {
    async client() {
      const client = await shared.client();
      if (current !== undefined) await drop(current);
      const openGeneration = ++generation;
      let lossProblem: string | undefined;
      const link: L = await open(client, (problem) => {
        lossProblem ??= problem;
        if (openGeneration !== generation || current === undefined) return;
        void drop(current);
        for (const watcher of [...watchers]) watcher({ state: "down", since: 0, problem, generation });
      });
      if (lossProblem !== undefined) {
        await drop(link);
        throw new Error(lossProblem);
      }
      current = link;
      return link;
    },
    drop: (link) => void drop(link),
    watch(listener) {
      watchers.add(listener);
      unwatch ??= shared.watch((state) => {
        for (const watcher of [...watchers]) watcher(state);
      });
      return () => void watchers.delete(listener);
    },
    release() {
      unwatch?.();
      unwatch = undefined;
      watchers.clear();
      const link = current;
      generation++;
      if (link !== undefined) void drop(link);
      shared.release();
    },
  };
}
