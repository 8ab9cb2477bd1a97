import { useEffect, useState, type RefObject } from "react";

/**
 * True once an element with `content-visibility: auto` is near the viewport, or the browser is idle: then it is ready before it is needed, and
 * find-in-page finds its text.
 */
export function useNearViewport(element: RefObject<HTMLElement | null>, fromTheBeginning: boolean): boolean {
  const [isInView, setInView] = useState(fromTheBeginning);
  useEffect(() => {
    const watched = element.current;
    if (isInView || watched === null) return undefined;
    const show = (): void => setInView(true);
    const onChange = (event: Event): void => {
      if (!(event as ContentVisibilityAutoStateChangeEvent).skipped) show();
    };
    watched.addEventListener("contentvisibilityautostatechange", onChange);
    const stopWaiting = whenIdle(show);
    return () => {
      watched.removeEventListener("contentvisibilityautostatechange", onChange);
      stopWaiting();
    };
  }, [element, isInView]);
  return isInView;
}

/** Not every browser supports requestIdleCallback. */
function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(act, 500);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act);
  return () => cancelIdleCallback(handle);
}
