import { useCallback, useEffect, useState } from "react";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { usePolled, type Polled } from "../api-client/use-polled.ts";

/** Maximum number of names that a runtime returns. */
export const maxNames = 200;

/** The server is queried when the user stops typing. */
const debounceMs = 250;

export interface NamesQuery {
  readonly target: string | undefined;
  /** The id of the connection. */
  readonly connection: string;
  /** The kind of names, such as `tables`. */
  readonly what: string;
}

/** Names on the server that start with a prefix; undefined until the first reply. The returned function loads them again. */
export function useNames({ target, connection, what }: NamesQuery, prefix: string): readonly [Polled<readonly string[]>, () => void] {
  const [debouncedPrefix, setDebouncedPrefix] = useState(prefix);
  useEffect(() => {
    const timer = setTimeout(() => setDebouncedPrefix(prefix), debounceMs);
    return () => clearTimeout(timer);
  }, [prefix]);
  const load = useCallback(
    () =>
      runtimeAt(target)
        .call("POST /connections/:id/browse", { params: { id: connection }, body: { what, prefix: debouncedPrefix, limit: maxNames } })
        .then(({ names }) => names),
    [target, connection, what, debouncedPrefix],
  );
  return usePolled(load, undefined);
}
