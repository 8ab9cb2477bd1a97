// Error handling of API calls.
import { ApiError } from "@sluice/client";

type Listener = () => void;
const signedOut = new Set<Listener>();

/** Calls the listener when a response shows that the session has expired. */
export function onSignedOut(listener: Listener): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

/** Status 0 means that the designer server is unreachable. */
export function toError(error: ApiError): ApiError {
  if (error.status === 0) return new ApiError(0, "The designer server is not responding. Your changes are saved in this browser.", { cause: error });
  if (error.status === 401 && error.message === "sign in first") for (const listener of signedOut) listener();
  return error;
}

/** Timeout of calls, long enough for a replay. */
export const callTimeoutMs = 300_000;
