import { documentCommands } from "../commands/document-commands.ts";
import { selectionYaml, pasteSteps } from "../commands/paste-steps.ts";
import { removeStep } from "../commands/remove-step.ts";
import { formatShortcut } from "../commands/shortcut.ts";
import { copyText } from "../controls/copy-text.ts";
import { Menu, type MenuEntry } from "../controls/menu.tsx";
import type { Editor } from "../document/editor.ts";
import { useEditor } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import { canvasActions, focusSelected, runOnCanvas } from "./canvas-actions.ts";
import { useCanvasUi } from "./canvas-ui.ts";

const labels = strings.canvas;

/** The context menu with all actions for the selection, including those available by drag or shortcut. */
export function CardMenu() {
  const editor = useEditor();
  const menu = useCanvasUi((state) => state.menu);
  if (menu === undefined) return null;
  return (
    <Menu
      label={labels.actions}
      {...menu}
      entries={itemsOf(editor)}
      onClose={() => useCanvasUi.setState({ menu: undefined })}
      onReturn={() => focusSelected(editor)}
    />
  );
}

function itemsOf(editor: Editor): readonly MenuEntry[] {
  const copied = selectionYaml(editor.flow);
  return [
    ...canvasActions
      .filter((action) => action.hidden !== true && action.isPossible(editor))
      .map((action) => ({ key: action.name, title: action.title, keys: keysOf(action.shortcut), run: () => action.run(editor) })),
    ...(copied === undefined
      ? []
      : [
          { key: "copy", title: labels.copy, keys: formatShortcut("Mod+C"), run: () => void copy(editor, copied) },
          {
            key: "cut",
            title: labels.cut,
            keys: formatShortcut("Mod+X"),
            run: () => void copy(editor, copied).then((isCopied) => isCopied && runOnCanvas(editor, removeStep)),
          },
        ]),
    { key: "paste", title: labels.paste, keys: formatShortcut("Mod+V"), run: () => void paste(editor) },
    ...documentCommands
      .filter((command) => command.apply(editor.flow)?.edit.ok === true)
      .map((command) => ({ key: command.name, title: command.title, keys: keysOf(command.shortcut), run: () => runOnCanvas(editor, command) })),
  ];
}

const keysOf = (shortcut: string | undefined): string | undefined => (shortcut === undefined ? undefined : formatShortcut(shortcut));

async function copy(editor: Editor, text: string): Promise<boolean> {
  const isCopied = await copyText(text);
  if (!isCopied) editor.showNotice({ kind: "error", text: strings.common.notCopied });
  return isCopied;
}

async function paste(editor: Editor): Promise<void> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  const text = await clipboard?.readText().catch(() => undefined);
  if (text === undefined) return editor.showNotice({ kind: "error", text: labels.pasteByKeys(formatShortcut("Mod+V")) });
  const command = pasteSteps(labels.paste, text);
  if (command !== undefined) runOnCanvas(editor, command);
}
