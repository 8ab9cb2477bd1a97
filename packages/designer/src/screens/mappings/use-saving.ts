import { useState } from "react";
import type { MappingKind } from "../../api-client/runtime-client.ts";
import { formatTime } from "../../controls/timestamp.tsx";
import { deployMapping, isSameDocument, saveMapping, type SavedMapping } from "../../mappings/saved-mapping.ts";
import { mappingStrings as labels } from "../../strings/mappings.ts";

export interface Saving {
  readonly isBusy: boolean;
  readonly note: string;
  readonly error: string | undefined;
  readonly warnings: readonly string[];
  /** The saved version: the loaded one, or the last saved one. */
  readonly saved: SavedMapping;
  /** Whether the runtime uses the saved version, another one, or none; unknown while it does not respond. */
  readonly state: "deployed" | "changed" | "draft" | "unknown";
  /** Writes the workspace file; false when it failed. */
  save(document: unknown): Promise<boolean>;
  /** Installs the mapping on the runtime and writes the workspace file; false when either failed. */
  deploy(document: unknown): Promise<boolean>;
  showError(message: string): void;
}

export function useSaving(kind: MappingKind, id: string, loaded: SavedMapping, target: string | undefined): Saving {
  const [saved, setSaved] = useState(loaded);
  const [isBusy, setBusy] = useState(false);
  const [note, setNote] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const run = async (work: () => Promise<string>): Promise<boolean> => {
    setBusy(true);
    setNote("");
    try {
      setNote(await work());
      setError(undefined);
      return true;
    } catch (reason) {
      setError((reason as Error).message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const save = (document: unknown): Promise<boolean> =>
    run(async () => {
      const { file, fileSkipped } = await saveMapping(kind, id, document, saved);
      if (fileSkipped !== undefined) throw new Error(fileSkipped === "comments" ? labels.fileCommented : labels.fileChanged);
      setSaved({ ...saved, document, file });
      setWarnings([]);
      return labels.saved(formatTime(new Date().toISOString()));
    });
  const deploy = (document: unknown): Promise<boolean> =>
    run(async () => {
      const { hash, warnings: found } = await deployMapping(kind, id, document, saved, target);
      // Recorded before the file is written: even if that fails, the next deployment replaces this version.
      setSaved({ ...saved, deployed: document, hash });
      const { file, fileSkipped } = await saveMapping(kind, id, document, saved).catch((reason: Error) => {
        throw new Error(labels.fileNotSaved(reason.message), { cause: reason });
      });
      setSaved({ ...saved, document, deployed: document, hash, file });
      setWarnings(fileSkipped === undefined ? found : [...found, fileSkipped === "comments" ? labels.deployedFileCommented : labels.deployedFileChanged]);
      return labels.deployed(target ?? "", formatTime(new Date().toISOString()));
    });
  const state = stateOf(saved);
  return { isBusy, note, error, warnings, saved, state, save, deploy, showError: setError };
}

function stateOf({ isRuntimeKnown, hash, document, deployed }: SavedMapping): Saving["state"] {
  if (!isRuntimeKnown) return "unknown";
  return hash === undefined ? "draft" : isSameDocument(document, deployed) ? "deployed" : "changed";
}
