const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** The two largest units: `3 d 4 h`, `12 s`. */
export function durationText(seconds: number): string {
  let rest = Math.floor(seconds);
  const parts = units.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${count} ${unit}`];
  });
  return parts.length === 0 ? "0 s" : parts.slice(0, 2).join(" ");
}
