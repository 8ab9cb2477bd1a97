// What a user can do, as data: the palette, the shortcut sheet, menus and keys are all drawn from the list of commands.
import type { Edit, Path } from "@sluice/model";
import type { OpenFlow } from "../document/open-flow.ts";

/** A change of the open flow, headless: flow in, text edit out. */
export interface DocumentCommand {
  readonly name: string;
  readonly title: string;
  /** Keys on the canvas, such as `Alt+ArrowUp`; `Mod` is Ctrl, or ⌘ on a Mac. */
  readonly shortcut?: string;
  /** Undefined when it makes no sense for what is selected. */
  apply(flow: OpenFlow): CommandResult | undefined;
}

export interface CommandResult {
  readonly edit: Edit;
  /** What is selected afterwards; unchanged when left out. */
  readonly select?: Path;
  /** The other end when several steps are selected. */
  readonly anchor?: number;
}

/** Something the page itself does. */
export interface PageCommand {
  readonly name: string;
  readonly title: string;
  readonly shortcut?: string;
  /** True when the shortcut must work while a text field has the focus. */
  readonly everywhere?: boolean;
  isEnabled?(page: PageContext): boolean;
  run(page: PageContext): void;
}

/** What page commands may touch. */
export interface PageContext {
  navigate(path: string): void;
  readonly editor: EditorHandle | undefined;
  openPalette(): void;
  openShortcuts(): void;
  setTheme(theme: "light" | "dark" | "system"): void;
}

/** The open editor as commands see it. */
export interface EditorHandle {
  readonly flow: OpenFlow;
  undo(): void;
  redo(): void;
  save(): void;
  deploy(): void;
  runTests(): void;
  tryIt(): void;
  setView(view: "canvas" | "split" | "yaml"): void;
  run(command: DocumentCommand): void;
}

export const isDocumentCommand = (command: DocumentCommand | PageCommand): command is DocumentCommand => "apply" in command;
