// A source editor with its own history, for documents without a canvas.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { foldKeymap } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { searchKeymap } from "@codemirror/search";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import type { DocumentSyntaxError } from "../../mappings/document-preview.ts";
import { editorSurface } from "../../source-view/editor-surface.ts";

/** Marks programmatic changes, so that they are not treated as typing. */
const isProgrammatic = Annotation.define<boolean>();

export interface MountedSource {
  /** Replaces the text. */
  show(text: string): void;
  mark(syntaxError: DocumentSyntaxError | undefined): void;
  destroy(): void;
}

export interface SourceOptions {
  readonly text: string;
  readonly label: string;
  readonly onType: (text: string) => void;
}

export function mountSource(parent: HTMLElement, { text, label, onType }: SourceOptions): MountedSource {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        editorSurface(label),
        history(),
        keymap.of([...historyKeymap, ...searchKeymap, ...foldKeymap, ...defaultKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((transaction) => transaction.annotation(isProgrammatic) === true)) onType(update.state.sliceDoc());
        }),
      ],
    }),
  });
  return {
    show(next) {
      if (view.state.sliceDoc() !== next)
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next }, annotations: isProgrammatic.of(true) });
    },
    mark(syntaxError) {
      const from = Math.min(syntaxError?.at ?? 0, view.state.doc.length);
      const to = view.state.doc.lineAt(from).to;
      view.dispatch(setDiagnostics(view.state, syntaxError === undefined ? [] : [{ from, to, severity: "error", message: syntaxError.message }]));
    },
    destroy: () => view.destroy(),
  };
}
