const factors: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Bytes: `65536`, `64k`, `64KB`, `10MiB`. Undefined for invalid text. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?$/i.exec(text);
  if (match === null) return undefined;
  return Math.floor(Number(match[1]) * (factors[(match[2] as string).toLowerCase()] as number));
}
