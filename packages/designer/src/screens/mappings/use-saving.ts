import { useState } from "react";
import type { MappingKind } from "../../api-client/runtime-client.ts";
import { shownTime } from "../../controls/moment.tsx";
import { saveMapping, type SavedMapping } from "../../mappings/saved-mapping.ts";
import { mappingStrings as words } from "../../strings/mappings.ts";

export interface Saving {
  readonly isBusy: boolean;
  readonly note: string;
  readonly error: string | undefined;
  readonly warnings: readonly string[];
  /** The saved version: the loaded one, or the last saved one. */
  readonly saved: SavedMapping;
  /** Installs the document; false when it was rejected. */
  save(document: unknown): Promise<boolean>;
  refuse(sentence: string): void;
}

export function useSaving(kind: MappingKind, id: string, loaded: SavedMapping, target: string | undefined): Saving {
  const [saved, setSaved] = useState(loaded);
  const [isBusy, setBusy] = useState(false);
  const [note, setNote] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const save = async (document: unknown): Promise<boolean> => {
    setBusy(true);
    setNote("");
    try {
      const { hash, file, fileLeft, warnings: serverWarnings } = await saveMapping(kind, id, document, saved, target);
      setSaved({ ...saved, document, hash, file });
      setWarnings(fileLeft === undefined ? serverWarnings : [...serverWarnings, fileLeft === "commented" ? words.fileCommented : words.fileChanged]);
      setError(undefined);
      setNote(words.saved(shownTime(new Date().toISOString())));
      return true;
    } catch (reason) {
      setError((reason as Error).message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, note, error, warnings, saved, save, refuse: setError };
}
