import { useEffect, useState, type RefObject } from "react";

/**
 * True once an element with `content-visibility: auto` is near the viewport or the browser is idle, so that its content is rendered before it is
 * needed and find-in-page finds its text.
 */
export function useNearViewport(element: RefObject<HTMLElement | null>, isInitiallyNear: boolean): boolean {
  const [isNear, setNear] = useState(isInitiallyNear);
  useEffect(() => {
    const target = element.current;
    if (isNear || target === null) return undefined;
    const activate = (): void => setNear(true);
    const onChange = (event: Event): void => {
      if (!(event as ContentVisibilityAutoStateChangeEvent).skipped) activate();
    };
    target.addEventListener("contentvisibilityautostatechange", onChange);
    const cancelIdle = whenIdle(activate);
    return () => {
      target.removeEventListener("contentvisibilityautostatechange", onChange);
      cancelIdle();
    };
  }, [element, isNear]);
  return isNear;
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
