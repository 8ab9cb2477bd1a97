// Every document that differs from a given one in one place: a member removed or renamed, or a value replaced. For comparing two readers of documents.
const replacements: readonly unknown[] = [null, true, 0, -1, 1.5, 1e9, "", " ", "x", [], {}, ["x"], { x: 1 }];

export function changedDocuments(document: unknown): readonly unknown[] {
  const others = replacements.filter((value) => JSON.stringify(value) !== JSON.stringify(document));
  if (Array.isArray(document)) {
    const shorter = document.map((_, index) => document.toSpliced(index, 1));
    return [...others, ...shorter, ...document.flatMap((item, index) => changedDocuments(item).map((changed) => document.with(index, changed)))];
  }
  if (typeof document !== "object" || document === null) return others;
  const entries = Object.entries(document);
  const withoutOne = entries.map(([name]) => Object.fromEntries(entries.filter(([other]) => other !== name)));
  const renamed = entries.map(([name]) => Object.fromEntries(entries.map(([other, value]) => [other === name ? `${name}x` : other, value])));
  const nested = entries.flatMap(([name, value]) => changedDocuments(value).map((changed) => ({ ...document, [name]: changed })));
  return [...others, ...withoutOne, ...renamed, ...nested];
}
