import { useEffect, useRef } from "react";
import { documentCommands } from "../commands/document-commands.ts";
import { copiedText, pasteSteps } from "../commands/paste-steps.ts";
import { removeStep } from "../commands/remove-step.ts";
import { shownShortcut } from "../commands/shortcut.ts";
import type { Editor } from "../document/editor.ts";
import { useEditor } from "../screens/editor/editor-context.ts";
import { strings } from "../strings.ts";
import { actOn, canvasActions, focusSelected } from "./canvas-actions.ts";
import { useCanvasUi } from "./canvas-ui.ts";

const words = strings.canvas;

interface MenuItem {
  readonly key: string;
  readonly title: string;
  readonly keys: string | undefined;
  run(): void;
}

/** All that can be done with what is selected, as a menu: everything a drag or a key does is here too. */
export function CardMenu() {
  const place = useCanvasUi((state) => state.menu);
  return place === undefined ? null : <Menu x={place.x} y={place.y} />;
}

function Menu({ x, y }: { readonly x: number; readonly y: number }) {
  const editor = useEditor();
  const list = useRef<HTMLDivElement>(null);
  const items = itemsOf(editor);
  const close = (): void => useCanvasUi.setState({ menu: undefined });
  useEffect(() => {
    const menu = list.current;
    menu?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const onPress = (event: globalThis.PointerEvent): void => {
      if (event.target instanceof Node && menu?.contains(event.target) === false) close();
    };
    document.addEventListener("pointerdown", onPress);
    return () => document.removeEventListener("pointerdown", onPress);
  }, []);
  const left = Math.max(8, Math.min(x, window.innerWidth - 296));
  const top = Math.max(8, Math.min(y, window.innerHeight - items.length * 32 - 24));
  return (
    <div
      ref={list}
      className="card-menu"
      role="menu"
      aria-label={words.actions}
      style={{ left, top }}
      onKeyDown={(event) => {
        const entries = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")];
        const at = entries.indexOf(document.activeElement as HTMLElement);
        const next =
          event.key === "ArrowDown"
            ? at + 1
            : event.key === "ArrowUp"
              ? at - 1
              : event.key === "Home"
                ? 0
                : event.key === "End"
                  ? entries.length - 1
                  : undefined;
        if (next !== undefined) entries[(next + entries.length) % entries.length]?.focus();
        else if (event.key === "Escape" || event.key === "Tab") {
          close();
          focusSelected(editor);
        } else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {items.map((item) => (
        <button
          key={item.key}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className="card-menu__item"
          onClick={() => {
            close();
            focusSelected(editor);
            item.run();
          }}
        >
          <span className="grow">{item.title}</span>
          {item.keys === undefined ? null : <kbd>{item.keys}</kbd>}
        </button>
      ))}
    </div>
  );
}

function itemsOf(editor: Editor): readonly MenuItem[] {
  const copied = copiedText(editor.flow);
  return [
    ...canvasActions
      .filter((action) => action.hidden !== true && action.isPossible(editor))
      .map((action) => ({ key: action.name, title: action.title, keys: keysOf(action.shortcut), run: () => action.run(editor) })),
    ...(copied === undefined
      ? []
      : [
          { key: "copy", title: words.copy, keys: shownShortcut("Mod+C"), run: () => void writeClipboard(copied) },
          { key: "cut", title: words.cut, keys: shownShortcut("Mod+X"), run: () => void writeClipboard(copied).then(() => actOn(editor, removeStep)) },
        ]),
    { key: "paste", title: words.paste, keys: shownShortcut("Mod+V"), run: () => void paste(editor) },
    ...documentCommands
      .filter((command) => command.apply(editor.flow)?.edit.ok === true)
      .map((command) => ({ key: command.name, title: command.title, keys: keysOf(command.shortcut), run: () => actOn(editor, command) })),
  ];
}

const keysOf = (shortcut: string | undefined): string | undefined => (shortcut === undefined ? undefined : shownShortcut(shortcut));

async function writeClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

async function paste(editor: Editor): Promise<void> {
  const text = await navigator.clipboard.readText().catch(() => "");
  const command = pasteSteps(words.paste, text);
  if (command !== undefined) actOn(editor, command);
}
