// Tables that repositories create.
import { CompileError } from "@sluice/engine/spi";
import type { Dialect } from "./database.ts";
import type { SqlDatabase } from "./sql-database.ts";

/** The name becomes part of statements, so it must be a plain name, with or without a schema. */
export function checkTableName(name: string, option: string): void {
  if (!/^[A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62})?$/.test(name))
    throw new CompileError("option-invalid", `'${name}' is not a valid table name: use letters, digits and underscores`, { option });
}

/** Type of a key column. With its default collations MySQL ignores the case and accents of keys. */
export const keyType = (dialect: Dialect): string => (dialect === "mysql" ? "varchar(255) character set utf8mb4 collate utf8mb4_bin" : "varchar(255)");

export async function ensureTable(database: SqlDatabase, table: string, columns: string): Promise<void> {
  try {
    await database.execute({ text: `create table if not exists ${table} (${columns})`, values: [], isFixed: false });
  } catch (error) {
    // When two runtimes create it at the same time, one of them fails although the table exists.
    await database.execute({ text: `select 1 from ${table} where 1 = 0`, values: [], isFixed: false }).catch(() => {
      throw error;
    });
  }
}
