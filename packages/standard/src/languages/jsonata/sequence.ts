/** Marks a list as a result of JSONata: a list with a single item is equivalent to the item. */
export const asSequence = <T>(list: T[]): T[] => Object.defineProperty(list, "sequence", { enumerable: false, value: true });
