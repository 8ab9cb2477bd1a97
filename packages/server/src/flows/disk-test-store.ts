// The tests of flows, `<id>.yaml` in a directory of their own: beside the flows they would be taken for flows.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { flushDirectory, putInPlace, readWhole, removeFile, removeLeftovers, writeTemporary } from "./durable-file.ts";

export interface FlowTestStore {
  read(id: string): Promise<string | undefined>;
  write(id: string, text: string): Promise<void>;
  remove(id: string): Promise<void>;
}

export async function openDiskTestStore(directory: string): Promise<FlowTestStore> {
  await removeLeftovers(directory).catch(() => undefined);
  return {
    async read(id) {
      try {
        return (await readWhole(join(directory, `${id}.yaml`))).toString();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    async write(id, text) {
      await mkdir(directory, { recursive: true, mode: 0o750 });
      const name = `${id}.yaml`;
      await putInPlace(directory, await writeTemporary(directory, name, Buffer.from(text, "utf8"), 0o640), name);
      await flushDirectory(directory);
    },
    async remove(id) {
      if (await removeFile(directory, `${id}.yaml`)) await flushDirectory(directory);
    },
  };
}
