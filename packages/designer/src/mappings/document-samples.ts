// Samples by document. They may be real messages, so they are held only in the memory of this page.

const currentSamples = new Map<string, string>();

export const currentSample = (id: string): string | undefined => currentSamples.get(id);

export const setCurrentSample = (id: string, text: string): void => void currentSamples.set(id, text);

const keptSamples = new Map<string, readonly string[]>();
const maxSamples = 20;

/** The samples that the user kept for a document; the mapping is checked with all of them. */
export const keptSamplesOf = (id: string): readonly string[] => keptSamples.get(id) ?? [];

/** Adds a sample; the oldest is removed when there are too many. */
export function keepSample(id: string, text: string): readonly string[] {
  const next = [...keptSamplesOf(id).filter((other) => other !== text), text].slice(-maxSamples);
  keptSamples.set(id, next);
  return next;
}
