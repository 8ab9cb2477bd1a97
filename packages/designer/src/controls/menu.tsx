import { useEffect, useRef } from "react";

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

const width = 288;
const entryHeight = 32;

/** A menu at a position in the window. Arrow keys, Home and End move the focus; Escape and Tab close the menu. */
export function Menu({ label, x, y, entries, onClose, onReturn }: MenuProps) {
  const list = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const menu = list.current;
    menu?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const onPress = (event: globalThis.PointerEvent): void => {
      if (event.target instanceof Node && menu?.contains(event.target) === false) close.current();
    };
    document.addEventListener("pointerdown", onPress);
    return () => document.removeEventListener("pointerdown", onPress);
  }, []);
  const left = Math.max(8, Math.min(x, window.innerWidth - width - 8));
  const top = Math.max(8, Math.min(y, window.innerHeight - entries.length * entryHeight - 24));
  return (
    <div
      ref={list}
      className="menu"
      role="menu"
      aria-label={label}
      style={{ left, top, width }}
      onKeyDown={(event) => {
        const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")];
        const next = nextItem(event.key, items.indexOf(document.activeElement as HTMLElement), items.length);
        if (next !== undefined) items[next]?.focus();
        else if (event.key === "Escape" || event.key === "Tab") {
          onClose();
          onReturn();
        } else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
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

function nextItem(key: string, at: number, count: number): number | undefined {
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at - 1 + count) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}
