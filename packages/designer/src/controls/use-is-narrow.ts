import { useSyncExternalStore } from "react";

/** The width at which the style sheets switch to the layout for phones. */
const narrow = matchMedia("(max-width: 767px)");

function subscribe(onChange: () => void): () => void {
  narrow.addEventListener("change", onChange);
  return () => narrow.removeEventListener("change", onChange);
}

export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
