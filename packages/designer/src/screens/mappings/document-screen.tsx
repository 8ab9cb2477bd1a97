import { documentText } from "../../mappings/document-format.ts";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../controls/button.tsx";
import { TextAreaField } from "../../controls/text-area-field.tsx";
import { useIsNarrow } from "../../controls/use-is-narrow.ts";
import type { Members } from "../../data-panel/message-data.ts";
import { initialDocumentText } from "../../mappings/new-document.ts";
import { readDocument, withTest, type Preview } from "../../mappings/document-preview.ts";
import { mapperStrings } from "../../strings/mapper.ts";
import { documentStrings as labels, mappingStrings } from "../../strings/mappings.ts";
import { useUnsavedDraft } from "../use-unsaved-draft.ts";
import { DocumentOutput } from "./document-output.tsx";
import { mountSource, type MountedSource } from "./document-source.ts";
import { DocumentTests } from "./document-tests.tsx";
import { MappingFrame, MessageList } from "./mapping-frame.tsx";
import { Mapper } from "./mapper/mapper.tsx";
import { MappingTable } from "./mapper/mapping-table.tsx";
import { OpenedMapping, type MappingEditorProps } from "./opened-mapping.tsx";
import { draftKey } from "./mapping-urls.ts";
import { usePreview } from "./use-preview.ts";
import { useSaving } from "./use-saving.ts";
import "../../source-view/source-view.css";
import "./mappings.css";

/** The editor of a message-mapping document: as a map, as a table, or as source text. */
export function DocumentScreen({ id }: { readonly id: string }) {
  return <OpenedMapping kind="message-mappings" id={id} editor={DocumentEditor} />;
}

type DocumentView = "map" | "table" | "source";

const views: readonly DocumentView[] = ["map", "table", "source"];

function DocumentEditor({ id, loaded, target }: MappingEditorProps) {
  const saving = useSaving("message-mappings", id, loaded, target);
  const savedText = initialDocumentText(id, saving.saved.document);
  const { draft: text, isChanged, isRestored, change, undo, redo, reset } = useUnsavedDraft(draftKey("message-mappings", id, target), savedText);
  const isNarrow = useIsNarrow();
  const [selectedView, setView] = useState<DocumentView | undefined>(undefined);
  const view = selectedView ?? (isNarrow ? "table" : "map");
  const { preview, lazyEnvironment, document, syntaxError, sample, setSample, keptSamples, keepSample } = usePreview(id, text, loaded, target);
  // The trees are updated immediately, the result after a pause.
  const current = useMemo(() => {
    const read = readDocument(text);
    return "document" in read ? read.document : undefined;
  }, [text]);
  const errors = useMemo(() => errorsByField(preview), [preview]);
  const withDocument = (work: (document: unknown) => Promise<boolean>): void => {
    const read = readDocument(text);
    if ("syntaxError" in read) saving.showError(syntaxText(text, read.syntaxError));
    else void work(read.document).then((isDone) => isDone && reset(documentText(read.document)));
  };
  const output = <DocumentOutput preview={preview} />;
  const edited = {
    output: preview?.output,
    errors,
    onChange: (next: Members, group?: string) => change(documentText(next), group),
  };
  return (
    <MappingFrame
      id={id}
      title={typeof document?.["name"] === "string" ? document["name"] : id}
      isChanged={isChanged}
      isRestored={isRestored}
      saving={saving}
      target={target}
      undo={undo}
      redo={redo}
      views={
        <div className="segments" role="group" aria-label={mapperStrings.viewLabel}>
          {views.map((name) => (
            <Button key={name} aria-pressed={view === name} onClick={() => setView(name)}>
              {mapperStrings.views[name]}
            </Button>
          ))}
        </div>
      }
      onSave={() => withDocument(saving.save)}
      onDeploy={() => withDocument(saving.deploy)}
      onDiscard={() => reset(savedText)}
      onUseDeployed={() => change(initialDocumentText(id, saving.saved.deployed))}
    >
      {view === "map" && current !== undefined ? (
        <Mapper
          document={current}
          sample={sample}
          runtime={target}
          onSample={setSample}
          result={output}
          keptSamples={keptSamples}
          onKeep={keepSample}
          {...edited}
        />
      ) : null}
      {view === "table" && current !== undefined ? (
        <>
          <MappingTable document={current} {...edited} />
          {output}
        </>
      ) : null}
      {view === "source" || current === undefined ? (
        <div className="mapping__document">
          <SourcePane text={text} syntaxError={syntaxError} onType={(next) => change(next, "source")} />
          <div className="mapping__side">
            <section className="panel">
              <TextAreaField label={mapperStrings.sampleText} hint={mapperStrings.sampleTextHint} rows={8} value={sample} onChange={setSample} />
            </section>
            {output}
          </div>
        </div>
      ) : null}
      {syntaxError === undefined ? null : (
        <MessageList title={mappingStrings.problems} variant="fail" messages={[syntaxText(text, syntaxError), labels.lastValid]} />
      )}
      <MessageList
        title={mappingStrings.problems}
        variant="fail"
        messages={syntaxError === undefined ? (preview?.problems ?? []).map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)) : []}
      />
      <MessageList title={mappingStrings.warnings} variant="warn" messages={[...new Set([...(preview?.warnings ?? []), ...saving.warnings])]} />
      <DocumentTests
        document={document}
        environment={lazyEnvironment.environment}
        canAdd={preview?.output !== undefined && preview.errors.length === 0 && syntaxError === undefined}
        onAdd={() => document !== undefined && preview?.output !== undefined && change(withTest(document, sample, preview.output))}
      />
    </MappingFrame>
  );
}

/** Errors of the check and of the run by target path; list positions are written as `[]`. */
function errorsByField(preview: Preview | undefined): ReadonlyMap<string, string> {
  return new Map([
    ...(preview?.problems ?? []).map(({ path, message }) => [path, message] as const),
    ...(preview?.errors ?? []).map(({ field, message }) => [field.replaceAll(/\[\d+\]/g, "[]"), message] as const),
  ]);
}

function syntaxText(text: string, { message, at }: { readonly message: string; readonly at: number }): string {
  const before = text.slice(0, at).split("\n");
  return labels.syntax(before.length, (before.at(-1)?.length ?? 0) + 1, message);
}

interface SourcePaneProps {
  readonly text: string;
  readonly syntaxError: { readonly message: string; readonly at: number } | undefined;
  readonly onType: (text: string) => void;
}

function SourcePane({ text, syntaxError, onType }: SourcePaneProps) {
  const host = useRef<HTMLDivElement>(null);
  const mounted = useRef<MountedSource | undefined>(undefined);
  const initialText = useRef(text);
  const latestOnType = useRef(onType);
  latestOnType.current = onType;
  useEffect(() => {
    if (host.current === null) return;
    const source = mountSource(host.current, { text: initialText.current, label: labels.source, onType: (next) => latestOnType.current(next) });
    mounted.current = source;
    return () => source.destroy();
  }, []);
  useEffect(() => mounted.current?.show(text), [text]);
  useEffect(() => mounted.current?.mark(syntaxError), [syntaxError]);
  return (
    <section className="panel mapping__source" aria-label={labels.source}>
      <h2>{labels.source}</h2>
      <div className="source" ref={host} />
      <p className="field__hint">{labels.sourceHint}</p>
    </section>
  );
}
