// Errors for changes that the disk rejected: what happened, and which version is running.
import { ServiceError } from "../service-error.ts";
import { StorageError, type Unflushed } from "./flow-store.ts";

/** The change was not made: the previous version is still on disk and running. */
export function throwStorageError(error: unknown): never {
  if (!(error instanceof StorageError)) throw error;
  throw serviceError(error, error.isFault ? `${error.message}; nothing was changed, the previous version is still running` : error.message);
}

/** The change was made, but may not survive a power failure, as described by `state`. */
export function throwIfUnflushed(unflushed: Unflushed, state: string): void {
  if (unflushed !== undefined) throw serviceError(unflushed, `${unflushed.message}; ${state} if the power fails`);
}

const serviceError = ({ kind }: StorageError, text: string): ServiceError => new ServiceError(kind === "full" ? "storage-full" : "storage-refused", text);
