import type { RecordVersion } from "@sluice/engine";
import { metadataOf, type KameletMetadata } from "../kamelets/kamelet-metadata.ts";
import type { KameletStore } from "../kamelets/kamelet-store.ts";
import type { ReplicatedConfig } from "./replicated-config.ts";

export const kameletKind = "kamelet/";

/** Deployed Kamelets as records; a change is written only if it was checked against the newest configuration. */
export function replicatedKamelets(config: ReplicatedConfig, clusterName: string): KameletStore {
  const cache = new WeakMap<RecordVersion, KameletMetadata>();
  const recordOf = (name: string): RecordVersion | undefined => config.records.get(kameletKind + name);
  const pathOf = (name: string): string => `${name}.kamelet.yaml`;
  return {
    find(name) {
      const record = recordOf(name);
      return record === undefined ? undefined : { file: pathOf(name), text: new TextDecoder().decode(record.bytes) };
    },
    names: () => [...config.records.keys()].flatMap((id) => (id.startsWith(kameletKind) ? [id.slice(kameletKind.length)] : [])).sort(),
    metadata(name) {
      const record = recordOf(name);
      if (record?.bytes === undefined) return undefined;
      const metadata = cache.get(record) ?? {
        name,
        place: { origin: "deployed", name: `cluster ${clusterName}` },
        lastModified: record.at,
        ...metadataOf(record.bytes),
      };
      cache.set(record, metadata);
      return metadata;
    },
    pathOf,
    assertWritable: () => config.assertReachable(),
    async write(name, bytes) {
      await config.write(kameletKind + name, bytes);
      return undefined;
    },
    async remove(name) {
      if (recordOf(name) !== undefined) await config.write(kameletKind + name, undefined);
      return undefined;
    },
  };
}
