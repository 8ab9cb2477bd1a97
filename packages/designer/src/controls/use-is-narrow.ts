import { useSyncExternalStore } from "react";

/** The width at which the style sheets switch to the layout for phones. */
const narrow = matchMedia("(max-width: 767px)");

function subscribe(changed: () => void): () => void {
  narrow.addEventListener("change", changed);
  return () => narrow.removeEventListener("change", changed);
}

export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
