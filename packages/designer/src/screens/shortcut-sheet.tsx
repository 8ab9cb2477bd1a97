import { canvasActions } from "../canvas/canvas-actions.ts";
import { documentCommands } from "../commands/document-commands.ts";
import { pageCommands } from "../commands/page-commands.ts";
import { formatShortcut } from "../commands/shortcut.ts";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { TableHead } from "../controls/data-table.tsx";
import { strings } from "../strings.ts";

interface ListedCommand {
  readonly name: string;
  readonly title: string;
  readonly shortcut?: string;
}

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog focusableBody title={strings.shortcuts.title} onClose={onClose} actions={<Button onClick={onClose}>{strings.common.close}</Button>}>
      <Shortcuts title={strings.shortcuts.page} commands={pageCommands} />
      <Shortcuts title={strings.shortcuts.canvas} commands={canvasActions} />
      <Shortcuts title={strings.shortcuts.step} commands={documentCommands} />
    </Dialog>
  );
}

function Shortcuts({ title, commands }: { readonly title: string; readonly commands: readonly ListedCommand[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <table className="table">
        <TableHead headings={[strings.shortcuts.action, strings.shortcuts.key]} />
        <tbody>
          {commands.flatMap(({ name, title: action, shortcut }) =>
            shortcut === undefined
              ? []
              : [
                  <tr key={name}>
                    <td>{action}</td>
                    <td>
                      <kbd>{formatShortcut(shortcut)}</kbd>
                    </td>
                  </tr>,
                ],
          )}
        </tbody>
      </table>
    </section>
  );
}
