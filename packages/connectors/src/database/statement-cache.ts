import { asText } from "@sluice/engine/values";
import { SqlStatement, type StatementOptions } from "./sql-statement.ts";
import { sqlInputError } from "./sql-failure.ts";

const maxTexts = 1000;
const maxTextLength = 1_000_000;

/** Cache of the last thousand statements from messages, by text. */
export class StatementCache {
  readonly #options: StatementOptions;
  readonly #statements = new Map<string, SqlStatement>();

  constructor(options: StatementOptions) {
    this.#options = options;
  }

  of(text: unknown): SqlStatement {
    const key = asText(text).trim();
    if (key === "") throw sqlInputError("sql-statement", "the statement is empty");
    if (key.length > maxTextLength) throw sqlInputError("sql-statement", `a statement can have at most ${maxTextLength} characters`);
    const cached = this.#statements.get(key);
    if (cached !== undefined) return cached;
    const statement = SqlStatement.fromMessage(key, this.#options);
    if (this.#statements.size >= maxTexts) this.#statements.delete(this.#statements.keys().next().value as string);
    this.#statements.set(key, statement);
    return statement;
  }
}
