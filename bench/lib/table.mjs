/** Prints rows under their headings as a Markdown table. */
export function printTable(headings, rows) {
  const lines = [headings, ...rows].map((cells) => cells.map(String));
  const widths = headings.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(" | ")} |`;
  const [head, ...body] = lines;
  console.log(line(head));
  console.log(`|${widths.map((width, column) => (column === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`);
  for (const cells of body) console.log(line(cells));
}
