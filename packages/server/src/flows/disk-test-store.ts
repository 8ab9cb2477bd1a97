// Stores the tests of flows as `<id>.yaml`, in a separate directory so that they are not mistaken for flows.
import { join } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import { readEntireFile, removeDurably, removeLeftovers, writeDurably } from "./durable-file.ts";
import type { Unflushed } from "./flow-store.ts";

export interface FlowTestStore {
  read(id: string): Promise<string | undefined>;
  write(id: string, text: string): Promise<Unflushed>;
  remove(id: string): Promise<Unflushed>;
}

export async function openDiskTestStore(directory: string): Promise<FlowTestStore> {
  await removeLeftovers(directory).catch(() => undefined);
  return {
    async read(id) {
      try {
        return (await readEntireFile(join(directory, `${id}.yaml`))).toString();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    async write(id, text) {
      await createFolder(directory, 0o750);
      return writeDurably(directory, `${id}.yaml`, Buffer.from(text, "utf8"), 0o640);
    },
    async remove(id) {
      return (await removeDurably(directory, `${id}.yaml`)).unflushed;
    },
  };
}
