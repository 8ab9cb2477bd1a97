import type { Awaitable } from "./processor.ts";

/**
 * Records the keys of processed messages: the interface of a bean of kind `idempotent-repository`. Every call is idempotent. An in-memory
 * implementation returns plain values, so that steps that use it stay synchronous.
 */
export interface IdempotentRepository {
  /** Adds the key; false when it already exists. */
  add(key: string): Awaitable<boolean>;
  contains(key: string): Awaitable<boolean>;
  remove(key: string): Awaitable;
  /** The message was processed: the key may now be stored permanently. */
  confirm(key: string): Awaitable;
  /** An empty repository with the same limits for the messages of test sessions; without it, a memory repository of 10,000 keys is used. */
  forSessions?(): IdempotentRepository;
}
