export const tableLimits = { rows: 5_000_000, columns: 100, patterns: 10_000, cell: 10_000, problems: 20 } as const;
