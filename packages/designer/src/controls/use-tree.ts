// Keyboard navigation of a tree: arrow keys, Home, End and, if the tree wants it, the beginning of a title.
import { useState, type KeyboardEvent } from "react";
import { TypeAhead } from "./type-ahead.ts";

export interface TreeItem {
  readonly level: number;
  /** Undefined for items without inner items. */
  readonly isOpen: boolean | undefined;
}

/** The index of the item to focus, or whether the current item is to be opened. */
export type TreeMove = { readonly focus: number } | { readonly isOpen: boolean };

/** What a key does on the item at `at`; undefined for a key that does not navigate. */
export function treeMove(key: string, items: readonly TreeItem[], at: number): TreeMove | undefined {
  const item = items[at];
  if (item === undefined) return undefined;
  switch (key) {
    case "ArrowDown":
      return { focus: Math.min(at + 1, items.length - 1) };
    case "ArrowUp":
      return { focus: Math.max(at - 1, 0) };
    case "Home":
      return { focus: 0 };
    case "End":
      return { focus: items.length - 1 };
    case "ArrowRight":
      if (item.isOpen === false) return { isOpen: true };
      return { focus: (items[at + 1]?.level ?? 0) > item.level ? at + 1 : at };
    case "ArrowLeft": {
      if (item.isOpen === true) return { isOpen: false };
      const parent = items.slice(0, at).findLastIndex(({ level }) => level < item.level);
      return { focus: parent === -1 ? at : parent };
    }
    default:
      return undefined;
  }
}

interface TreeOptions {
  /** Opens or closes the focused item. */
  readonly setOpen?: (item: HTMLElement, isOpen: boolean) => void;
  /** The title that typing finds; without it, letters are left to the tree's shortcuts. */
  readonly titleOf?: (item: HTMLElement) => string;
}

/**
 * Handles a key on an item of the tree, or of several trees that follow each other; true if the key was handled. The handler belongs on an element around
 * all items. `key` differs from that of the event in a tree that is drawn from left to right.
 */
export function useTree({ setOpen, titleOf }: TreeOptions = {}): (event: KeyboardEvent<HTMLElement>, key?: string) => boolean {
  const [search] = useState(() => new TypeAhead());
  return (event, key = event.key) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return false;
    const elements = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=treeitem]")];
    const at = elements.indexOf(target);
    if (at === -1) return false;
    const move = event.shiftKey ? undefined : treeMove(key, elements.map(itemOf), at);
    const found = move === undefined && titleOf !== undefined ? search.find(key, event.timeStamp, elements.map(titleOf), at) : undefined;
    if (move === undefined && found === undefined) return false;
    event.preventDefault();
    if (move !== undefined && "isOpen" in move) setOpen?.(target, move.isOpen);
    else elements[move?.focus ?? found ?? at]?.focus();
    return true;
  };
}

function itemOf(element: HTMLElement): TreeItem {
  const expanded = element.getAttribute("aria-expanded");
  return { level: Number(element.getAttribute("aria-level")), isOpen: expanded === null ? undefined : expanded === "true" };
}
