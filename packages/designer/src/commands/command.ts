// User commands as data: the palette, the shortcut list, menus and keys are generated from the list of commands.
import type { Edit, Path } from "@sluice/model";
import type { OpenFlow } from "../document/open-flow.ts";

/** A change to the open flow, without UI: flow in, text edit out. */
export interface DocumentCommand {
  readonly name: string;
  readonly title: string;
  /** Keys on the canvas, such as `Alt+ArrowUp`; `Mod` is Ctrl, or ⌘ on a Mac. */
  readonly shortcut?: string;
  /** Undefined when the command does not apply to the selection. */
  apply(flow: OpenFlow): CommandResult | undefined;
}

export interface CommandResult {
  readonly edit: Edit;
  /** The selection afterwards; unchanged if omitted. */
  readonly select?: Path;
  /** The other end of a selection of several steps. */
  readonly anchor?: number;
}

/** A command of the page itself. */
export interface PageCommand {
  readonly name: string;
  readonly title: string;
  readonly shortcut?: string;
  /** True when the shortcut must work while a text field has the focus. */
  readonly everywhere?: boolean;
  isEnabled?(page: PageContext): boolean;
  run(page: PageContext): void;
}

/** The interface of the page for its commands. */
export interface PageContext {
  navigate(path: string): void;
  readonly editor: EditorHandle | undefined;
  openPalette(): void;
  openShortcuts(): void;
  setTheme(theme: "light" | "dark" | "system"): void;
}

/** The interface of the open editor for commands. */
export interface EditorHandle {
  readonly flow: OpenFlow;
  undo(): void;
  redo(): void;
  save(): void;
  deploy(): void;
  runTests(): void;
  tryIt(): void;
  setView(view: "canvas" | "split" | "yaml"): void;
  toggleOutline(): void;
  toggleData(): void;
  toggleInspector(): void;
  toggleDock(): void;
  run(command: DocumentCommand): void;
}

export const isDocumentCommand = (command: DocumentCommand | PageCommand): command is DocumentCommand => "apply" in command;
