import { useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { TypeAhead } from "./type-ahead.ts";

export interface MenuEntry {
  readonly key: string;
  readonly title: string;
  /** The shortcut to display. */
  readonly keys?: string | undefined;
  /** The reason why the entry cannot be chosen now. */
  readonly disabledReason?: string | undefined;
  run(): void;
}

interface MenuProps {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly entries: readonly MenuEntry[];
  readonly onClose: () => void;
  /** Returns the focus to the element that opened the menu. */
  readonly onReturn: () => void;
}

/** The distance to the edges of the window. */
const margin = 8;

/**
 * A menu at a position in the window, above everything else. Arrow keys, Home, End and the beginning of a title move the focus; Escape and Tab close the
 * menu.
 */
export function Menu({ label, x, y, entries, onClose, onReturn }: MenuProps) {
  const list = usePopover(x, y, onClose);
  const [search] = useState(() => new TypeAhead());
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const titles = entries.map(({ title }) => title);
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    const next = nextItem(event.key, at, items.length) ?? (hasModifier ? undefined : search.find(event.key, event.timeStamp, titles, at));
    if (next !== undefined) items[next]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") {
      onClose();
      onReturn();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={list} className="menu" role="menu" popover="manual" aria-label={label} onKeyDown={onKeyDown}>
      {entries.map(({ key, title, keys, disabledReason, run }) => (
        <button
          key={key}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className="menu__item"
          aria-disabled={disabledReason === undefined ? undefined : true}
          title={disabledReason}
          onClick={() => {
            if (disabledReason !== undefined) return;
            onClose();
            onReturn();
            run();
          }}
        >
          <span className="grow">{title}</span>
          {keys === undefined ? null : <kbd>{keys}</kbd>}
        </button>
      ))}
    </div>
  );
}

/**
 * Shows an element at a position, moved as far as needed to be inside the window, and closes it when another element is pressed. The browser must not close
 * it (`popover="auto"`): the release of the button that opened a context menu would count.
 */
function usePopover(x: number, y: number, onClose: () => void): RefObject<HTMLDivElement | null> {
  const popover = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const element = popover.current;
    if (element === null) return undefined;
    element.showPopover();
    element.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const onPress = (event: PointerEvent): void => {
      if (event.target instanceof Node && !element.contains(event.target)) close.current();
    };
    document.addEventListener("pointerdown", onPress);
    return () => document.removeEventListener("pointerdown", onPress);
  }, []);
  useLayoutEffect(() => {
    const element = popover.current;
    if (element === null) return;
    element.style.left = `${Math.max(margin, Math.min(x, window.innerWidth - element.offsetWidth - margin))}px`;
    element.style.top = `${Math.max(margin, Math.min(y, window.innerHeight - element.offsetHeight - margin))}px`;
  });
  return popover;
}

function nextItem(key: string, at: number, count: number): number | undefined {
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at - 1 + count) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}
