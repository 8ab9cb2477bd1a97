import { documentCommands } from "../commands/document-commands.ts";
import { copiedText, pasteSteps } from "../commands/paste-steps.ts";
import { removeStep } from "../commands/remove-step.ts";
import { shownShortcut } from "../commands/shortcut.ts";
import { Menu, type MenuEntry } from "../controls/menu.tsx";
import type { Editor } from "../document/editor.ts";
import { useEditor } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import { actOn, canvasActions, focusSelected } from "./canvas-actions.ts";
import { useCanvasUi } from "./canvas-ui.ts";

const words = strings.canvas;

/** The context menu with all actions for the selection, including those available by drag or shortcut. */
export function CardMenu() {
  const editor = useEditor();
  const place = useCanvasUi((state) => state.menu);
  if (place === undefined) return null;
  return (
    <Menu
      label={words.actions}
      {...place}
      entries={itemsOf(editor)}
      onClose={() => useCanvasUi.setState({ menu: undefined })}
      onReturn={() => focusSelected(editor)}
    />
  );
}

function itemsOf(editor: Editor): readonly MenuEntry[] {
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
