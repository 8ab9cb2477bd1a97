/** A number with its noun, in the singular or plural. */
export const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;
