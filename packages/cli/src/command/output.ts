// What commands have in common: a result as text or JSON, a list as a table, and a question before something is removed.
import { tableText, type Column } from "../terminal/table.ts";
import { isOn, UsageError, type Call } from "./declaration.ts";

/** Prints a result: with --json the value, otherwise its text. */
export function printResult({ flags, terminal }: Call, value: unknown, text: () => string): void {
  terminal.write(isOn(flags, "json") ? JSON.stringify(value, undefined, 2) : text());
}

interface List<T> {
  /** Printed with --json. */
  readonly value: unknown;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  /** Printed on standard error if there are no rows. */
  readonly empty: string;
}

export function printList<T>(call: Call, { value, rows, columns, empty }: List<T>): void {
  if (rows.length === 0 && !isOn(call.flags, "json")) call.terminal.note(empty);
  else printResult(call, value, () => tableText(columns, rows, call.terminal));
}

/** Asks before something that cannot be undone, such as `remove flow 'orders'`. Without a terminal --yes is required. */
export async function isConfirmed({ flags, terminal, signal }: Call, change: string): Promise<boolean> {
  if (isOn(flags, "yes")) return true;
  const answer = await terminal.ask(`${change.slice(0, 1).toUpperCase()}${change.slice(1)}? [y/N] `, signal);
  if (answer === undefined) throw new UsageError(`pass --yes to ${change}: there is no terminal to ask for confirmation`);
  const isYes = /^y(es)?$/i.test(answer.trim());
  if (!isYes) terminal.note("Nothing was changed");
  return isYes;
}

/** `1 flow`, `2 flows`. */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string => `${count} ${count === 1 ? noun : plural}`;
