import type { Awaitable, Log } from "@sluice/engine";

/** Closes the parts in order. A part that cannot be closed is logged, and the others are still closed. */
export async function closeAll(log: Log, parts: Readonly<Record<string, () => Awaitable<unknown>>>): Promise<void> {
  for (const [name, close] of Object.entries(parts))
    try {
      await close();
    } catch (error) {
      log.write("ERROR", "sluice", `Cannot close the ${name}: ${(error as Error).message}`);
    }
}
