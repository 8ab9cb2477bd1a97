// Replaces some Kamelets with other texts, to compile a flow with Kamelets that are not installed.
import type { KameletFile, KameletFiles } from "@sluice/engine";

/** The Kamelets in `files` and, for other names, those of `rest`. An undefined file hides the Kamelet of that name. */
export function overrideKamelets(files: ReadonlyMap<string, KameletFile | undefined>, rest?: KameletFiles): KameletFiles {
  return {
    find: (name) => (files.has(name) ? files.get(name) : rest?.find(name)),
    names: () => [...new Set([...files.keys(), ...(rest?.names() ?? [])])].filter((name) => !files.has(name) || files.get(name) !== undefined).sort(),
  };
}
