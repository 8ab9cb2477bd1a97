// Samples by document. They may be real messages, so they are kept only in the memory of this page.

const samples = new Map<string, string>();

export const keptSample = (id: string): string | undefined => samples.get(id);

export const keepSample = (id: string, text: string): void => void samples.set(id, text);
