// A text in the source editor with a history of its own, for documents that no canvas shows.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import type { SyntaxFault } from "../../mappings/document-preview.ts";
import { editorLook } from "../../source-view/code-editor.ts";

/** Marks a text that was put in, so that it is not taken for typed. */
const putIn = Annotation.define<boolean>();

export interface MountedSource {
  /** Puts another text in. */
  show(text: string): void;
  mark(fault: SyntaxFault | undefined): void;
  end(): void;
}

export interface SourceOptions {
  readonly text: string;
  readonly label: string;
  readonly onType: (text: string) => void;
}

export function mountSource(parent: HTMLElement, { text, label, onType }: SourceOptions): MountedSource {
  const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
        lineNumbers(),
        foldGutter(),
        lintGutter(),
        history(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        drawSelection(),
        indentUnit.of("  "),
        indentOnInput(),
        bracketMatching(),
        highlightSelectionMatches(),
        search({ top: true }),
        // Every JSON text is YAML, and some people type the latter.
        yaml(),
        editorLook,
        keymap.of([...historyKeymap, ...searchKeymap, ...foldKeymap, ...defaultKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((transaction) => transaction.annotation(putIn) === true)) onType(update.state.sliceDoc());
        }),
      ],
    }),
  });
  return {
    show(next) {
      if (view.state.sliceDoc() !== next) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next }, annotations: putIn.of(true) });
    },
    mark(fault) {
      const from = Math.min(fault?.at ?? 0, view.state.doc.length);
      const to = view.state.doc.lineAt(from).to;
      view.dispatch(setDiagnostics(view.state, fault === undefined ? [] : [{ from, to, severity: "error", message: fault.message }]));
    },
    end: () => view.destroy(),
  };
}
