// The deployed Kamelets: files in the data directory, or records of a cluster.
import type { KameletFiles } from "@sluice/engine";
import type { Unflushed } from "../flows/flow-store.ts";
import type { KameletMetadata } from "./kamelet-metadata.ts";

export interface KameletStore extends KameletFiles {
  metadata(name: string): KameletMetadata | undefined;
  /** The path that is reported with problems of a Kamelet. */
  pathOf(name: string): string;
  /** Rejects when a change could not be stored; called before flows are replaced. */
  assertWritable(): Promise<void>;
  /** Throws a StorageError or a ServiceError when it cannot be stored. */
  write(name: string, bytes: Uint8Array): Promise<Unflushed>;
  remove(name: string): Promise<Unflushed>;
}
