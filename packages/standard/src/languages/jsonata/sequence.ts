/** Marks a list as a result of JSONata: one that has a single item stands for this item. */
export const asSequence = <T>(list: T[]): T[] => Object.defineProperty(list, "sequence", { enumerable: false, value: true });
