import { join } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import { removeDurably, removeLeftovers, writeDurably } from "../flows/durable-file.ts";
import type { KameletFolder } from "./find-kamelet-folders.ts";
import { KameletMetadataCache } from "./kamelet-metadata.ts";
import { kameletFolders } from "./kamelet-folders.ts";
import type { KameletStore } from "./kamelet-store.ts";

/** Creates the folder and removes temporary files left by a crash. A read-only data directory can still be served. */
export async function openDiskKameletStore(place: KameletFolder): Promise<KameletStore> {
  const { folder } = place;
  await createFolder(folder, 0o750).catch(() => undefined);
  await removeLeftovers(folder).catch(() => undefined);
  const cache = new KameletMetadataCache([place]);
  /** Removes the file of the same name with the other extension. */
  const removeOther = (name: string): ReturnType<typeof removeDurably> => removeDurably(folder, `${name}.kamelet.yml`);
  return {
    ...kameletFolders([folder]),
    metadata: (name) => cache.find(name),
    pathOf: (name) => join(folder, `${name}.kamelet.yaml`),
    assertWritable: () => Promise.resolve(),
    async write(name, bytes) {
      const other = await removeOther(name);
      const unflushed = await writeDurably(folder, `${name}.kamelet.yaml`, bytes, 0o640);
      cache.forget(name);
      return unflushed ?? other.unflushed;
    },
    async remove(name) {
      const other = await removeOther(name);
      const { unflushed } = await removeDurably(folder, `${name}.kamelet.yaml`);
      cache.forget(name);
      return unflushed ?? other.unflushed;
    },
  };
}
