// Converts a result set to a message body.
import { FlowError } from "@sluice/engine/spi";
import type { Row } from "./database.ts";

/** One row as a map, or its value if it has a single column; null without a row. */
export function onlyRow(rows: readonly Row[]): unknown {
  if (rows.length > 1)
    throw new FlowError(
      "org.springframework.dao.IncorrectResultSizeDataAccessException",
      `outputType=SelectOne expects at most one row, but there are ${rows.length}`,
      {
        code: "sql-not-unique",
      },
    );
  const [row] = rows;
  if (row === undefined) return null;
  const values = Object.values(row);
  return values.length === 1 ? values[0] : row;
}
