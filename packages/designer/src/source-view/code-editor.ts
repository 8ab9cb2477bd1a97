// The source editor: shows the document's text, converts typing to splices, and uses the document's undo history.
import { defaultKeymap, indentWithTab } from "@codemirror/commands";
import { foldKeymap } from "@codemirror/language";
import { setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { searchKeymap } from "@codemirror/search";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import type { Editor } from "../document/editor.ts";
import { difference } from "../document/history.ts";
import { isBroken, stepAt } from "../document/open-flow.ts";
import { pathKey } from "@sluice/model";
import { problemOf, type Problem } from "../document/problem.ts";
import { strings } from "../strings.ts";
import { namesIn, type KnownNames } from "../inspector/completions.ts";
import { dataCompletion, type CompletionDetails } from "./data-completion.ts";
import { editorSurface } from "./editor-surface.ts";

const noNames: KnownNames = { header: [], variable: [], exchangeProperty: [] };

/** Marks changes from the document, so that they are not sent back to it. */
const fromDocument = Annotation.define<boolean>();

export interface CodeEditorOptions {
  readonly label: string;
  /** The message at the selected step, if known. */
  readonly message: CompletionDetails["message"];
}

/** Mounts the source editor in an element; returns the unmount function. */
export function mountCodeEditor(parent: HTMLElement, editor: Editor, { label, message }: CodeEditorOptions): () => void {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: editor.flow.text,
      extensions: [
        editorSurface(label),
        dataCompletion({ message, names: () => (editor.flow.lastValid === undefined ? noNames : namesIn(editor.flow.lastValid.tree)) }),
        EditorState.lineSeparator.of(editor.flow.text.includes("\r\n") ? "\r\n" : "\n"),
        keymap.of([
          { key: "Mod-z", run: () => (editor.undo(), true), preventDefault: true },
          { key: "Mod-Shift-z", run: () => (editor.redo(), true), preventDefault: true },
          { key: "Mod-y", run: () => (editor.redo(), true), preventDefault: true },
          { key: "Mod-Enter", run: () => false },
          ...searchKeymap,
          ...foldKeymap,
          ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          const isFromDocument = update.transactions.some((transaction) => transaction.annotation(fromDocument) === true);
          if (update.docChanged && !isFromDocument) applyTyping(editor, textOf(update.state));
          else if (update.selectionSet && !isFromDocument && !update.docChanged)
            editor.selectAt(documentOffset(update.state, update.state.selection.main.head));
        }),
      ],
    }),
  });
  const stop = editor.store.subscribe((state, before) => {
    if (state.flow.text !== before.flow.text) showText(view, state.flow.text);
    if (state.flow.selection !== before.flow.selection && !view.hasFocus) reveal(view, editor);
    if (state.flow !== before.flow || state.problems !== before.problems) showProblems(view, editor);
  });
  showProblems(view, editor);
  reveal(view, editor);
  return () => {
    stop();
    view.destroy();
  };
}

/** The exact text, with the document's own line endings. */
const textOf = (state: EditorState): string => state.sliceDoc();

function applyTyping(editor: Editor, text: string): void {
  editor.splice(difference(editor.flow.text, text), strings.editor.source, "source");
}

function showText(view: EditorView, text: string): void {
  const current = textOf(view.state);
  if (current === text) return;
  // The editor counts every line ending as one character; comparing with normalized line endings keeps offsets in sync.
  const { start, end, text: insert } = difference(current.replaceAll("\r\n", "\n"), text.replaceAll("\r\n", "\n"));
  view.dispatch({ changes: { from: start, to: end, insert: view.state.toText(insert) }, annotations: fromDocument.of(true) });
}

function documentOffset(state: EditorState, position: number): number {
  return state.lineBreak.length === 1 ? position : position + state.doc.lineAt(position).number - 1;
}

function editorOffset(state: EditorState, text: string, offset: number): number {
  if (state.lineBreak.length === 1) return Math.min(offset, state.doc.length);
  return Math.min(state.doc.length, text.slice(0, offset).replaceAll("\r\n", "\n").length);
}

/** Selects the text of the selected step or trigger and scrolls it into view. */
function reveal(view: EditorView, { flow }: Editor): void {
  if (flow.selection === undefined || isBroken(flow)) return;
  const span =
    stepAt(flow, flow.selection)?.span ?? flow.lastValid?.outline.routes.find((route) => pathKey(route.from.path) === pathKey(flow.selection ?? []))?.from.span;
  if (span === undefined) return;
  const from = editorOffset(view.state, flow.text, span.start);
  const to = editorOffset(view.state, flow.text, span.start + flow.text.slice(span.start, span.end).trimEnd().length);
  view.dispatch({
    selection: { anchor: from, head: to },
    effects: EditorView.scrollIntoView(from, { y: "nearest", yMargin: 40 }),
    annotations: fromDocument.of(true),
  });
}

function showProblems(view: EditorView, editor: Editor): void {
  const { flow, problems } = editor.store.getState();
  const found = isBroken(flow) ? flow.syntax.map(problemOf) : problems;
  view.dispatch(
    setDiagnostics(
      view.state,
      found.map((problem) => diagnosticOf(view.state, problem)),
    ),
  );
}

function diagnosticOf(state: EditorState, { line, column, severity, message, code }: Problem): Diagnostic {
  const documentLine = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
  const from = Math.min(documentLine.to, documentLine.from + Math.max(0, column - 1));
  return { from, to: Math.max(from, documentLine.to), severity, message, source: code };
}
