import type { Log } from "@sluice/engine";
import type { DeadLetterSource } from "../dead-letters/dead-letter-store.ts";
import type { SharedDeadLetters } from "./shared-dead-letters.ts";

/** Moves the dead letters that a node stored before it joined the cluster. */
export async function takeOverDeadLetters(source: DeadLetterSource, deadLetters: SharedDeadLetters, log: Log): Promise<void> {
  try {
    const table = await source.openExisting();
    if (table === undefined || table.count === 0) return;
    await deadLetters.open();
    const { count } = table;
    await deadLetters.takeOver(table);
    log.write("INFO", "sluice.cluster", `Dead letters moved from this node to the cluster: ${count}`);
  } catch (error) {
    log.write("ERROR", "sluice.cluster", `Cannot move the dead letters of this node to the cluster: ${(error as Error).message}`);
  }
}
