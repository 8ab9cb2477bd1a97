/** Remembers which messages were seen. Every call is safe to repeat. */
export interface IdempotentRepository {
  /** Adds the key; false when it was there already. */
  add(key: string): boolean;
  contains(key: string): boolean;
  remove(key: string): void;
  /** The message went through: the key may now be kept for good. */
  confirm(key: string): void;
}
