// Groups several sends into one unit of work, with at most one transaction per connection.
import { FlowError } from "../errors/flow-error.ts";

/** An open transaction on one connection. */
export interface Transaction {
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/**
 * Work that is committed or rolled back as a whole, with at most one transaction per connection. A sink that supports transactions joins the unit of
 * work of the exchange; without one, each send is committed separately.
 */
export interface UnitOfWork {
  /** The transaction of a connection, started on first use. */
  join<T extends Transaction>(connectionId: string, begin: () => Promise<T>): Promise<T>;
}

/**
 * An active unit of work. The connection that joined last is committed first: a source joins before all others, and its messages are
 * acknowledged only after everything else is committed.
 */
export class OpenUnit implements UnitOfWork {
  readonly #transactions = new Map<string, Promise<Transaction>>();
  #isOver = false;

  join<T extends Transaction>(connectionId: string, begin: () => Promise<T>): Promise<T> {
    if (this.#isOver)
      return Promise.reject(new FlowError("java.lang.IllegalStateException", "the transaction has already ended", { code: "transaction-over" }));
    const existing = this.#transactions.get(connectionId);
    if (existing !== undefined) return existing as Promise<T>;
    const transaction = begin();
    this.#transactions.set(connectionId, transaction);
    // A transaction that failed to start is retried by the next send.
    transaction.catch(() => this.#transactions.delete(connectionId));
    return transaction;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Commits all transactions. If one fails, the remaining ones are rolled back and the error is thrown. */
  async commit(): Promise<void> {
    const remaining = this.#end();
    try {
      for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) await (await next).commit();
    } catch (error) {
      await rollBack(remaining);
      throw error;
    }
  }

  /** Rolls back all transactions; does nothing when the unit has already ended. Never fails. */
  async rollback(): Promise<void> {
    await rollBack(this.#end());
  }

  #end(): Promise<Transaction>[] {
    const remaining = this.#isOver ? [] : [...this.#transactions.values()];
    this.#isOver = true;
    return remaining;
  }
}

async function rollBack(transactions: readonly Promise<Transaction>[]): Promise<void> {
  await Promise.allSettled(transactions.map(async (transaction) => (await transaction).rollback()));
}
