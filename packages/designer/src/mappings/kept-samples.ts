// Samples by document. They may be real messages, so they are kept only in the memory of this page.

const samples = new Map<string, string>();

export const keptSample = (id: string): string | undefined => samples.get(id);

export const keepSample = (id: string, text: string): void => void samples.set(id, text);

const lists = new Map<string, readonly string[]>();
const maxSamples = 20;

/** The samples of a document that the user kept to check the mapping with all of them. */
export const listedSamples = (id: string): readonly string[] => lists.get(id) ?? [];

/** Adds a sample; the oldest is removed when there are too many. */
export function listSample(id: string, text: string): readonly string[] {
  const next = [...listedSamples(id).filter((other) => other !== text), text].slice(-maxSamples);
  lists.set(id, next);
  return next;
}
