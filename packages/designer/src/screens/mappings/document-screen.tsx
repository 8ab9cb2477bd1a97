import { useEffect, useRef, useState } from "react";
import { documentStart } from "../../mappings/new-document.ts";
import { readDocument, withTest } from "../../mappings/document-preview.ts";
import { documentStrings as words, mappingStrings } from "../../strings/mappings.ts";
import { useKeptDraft } from "../use-kept-draft.ts";
import { ConnectPanel } from "./connect-panel.tsx";
import { DocumentOutcome } from "./document-outcome.tsx";
import { DocumentSample } from "./document-sample.tsx";
import { mountSource, type MountedSource } from "./document-source.ts";
import { DocumentTests } from "./document-tests.tsx";
import { MappingFrame, Remarks } from "./mapping-frame.tsx";
import { OpenedMapping, type MappingEditorProps } from "./opened-mapping.tsx";
import { draftKey } from "./mapping-places.ts";
import { usePreview } from "./use-preview.ts";
import { useSaving } from "./use-saving.ts";
import "../../source-view/source-view.css";
import "./mappings.css";

/** The editor of a message-mapping document: its text next to a sample and the output. */
export function DocumentScreen({ id }: { readonly id: string }) {
  return <OpenedMapping kind="message-mappings" id={id} editor={DocumentEditor} />;
}

function DocumentEditor({ id, loaded, target }: MappingEditorProps) {
  const saving = useSaving("message-mappings", id, loaded, target);
  const savedText = documentStart(id, saving.saved.document);
  const { draft: text, isChanged, isRestored, change, settle } = useKeptDraft(draftKey("message-mappings", id, target), savedText);
  const [shown, setShown] = useState({ text });
  /** Replaces the text of the source editor. */
  const put = (next: string, keep: (text: string) => void): void => {
    keep(next);
    setShown({ text: next });
  };
  const { preview, lazyEnvironment, document, fault, sample, setSample } = usePreview(id, text, loaded, target);
  const save = (): void => {
    const read = readDocument(text);
    if ("fault" in read) saving.refuse(syntaxText(text, read.fault));
    else void saving.save(read.document).then((isSaved) => isSaved && settle(text));
  };
  return (
    <MappingFrame
      id={id}
      title={typeof document?.["name"] === "string" ? document["name"] : id}
      isInstalled={saving.saved.hash !== undefined}
      isChanged={isChanged}
      isRestored={isRestored}
      saving={saving}
      onSave={save}
      onDiscard={() => put(savedText, settle)}
    >
      <div className="mapping__document">
        <SourcePane shown={shown} fault={fault} onType={change} />
        <div className="mapping__side">
          <DocumentSample sample={sample} onSample={setSample} />
          <DocumentOutcome preview={preview} document={document} />
        </div>
      </div>
      {document === undefined || fault !== undefined ? null : <ConnectPanel document={document} sample={sample} onChange={(next) => put(next, change)} />}
      {fault === undefined ? null : <Remarks title={mappingStrings.problems} variant="fail" sentences={[syntaxText(text, fault), words.lastGood]} />}
      <Remarks
        title={mappingStrings.problems}
        variant="fail"
        sentences={fault === undefined ? (preview?.problems ?? []).map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)) : []}
      />
      <Remarks title={mappingStrings.warnings} variant="warn" sentences={[...new Set([...(preview?.warnings ?? []), ...saving.warnings])]} />
      <DocumentTests
        document={document}
        environment={lazyEnvironment.environment}
        canAdd={preview?.output !== undefined && fault === undefined}
        onAdd={() => document !== undefined && preview?.output !== undefined && put(withTest(document, sample, preview.output), change)}
      />
    </MappingFrame>
  );
}

function syntaxText(text: string, { message, at }: { readonly message: string; readonly at: number }): string {
  const before = text.slice(0, at).split("\n");
  return words.syntax(before.length, (before.at(-1)?.length ?? 0) + 1, message);
}

interface SourcePaneProps {
  /** An external text; typed text is reported and not sent back. */
  readonly shown: { readonly text: string };
  readonly fault: { readonly message: string; readonly at: number } | undefined;
  readonly onType: (text: string) => void;
}

function SourcePane({ shown, fault, onType }: SourcePaneProps) {
  const host = useRef<HTMLDivElement>(null);
  const mounted = useRef<MountedSource | undefined>(undefined);
  const first = useRef(shown.text);
  const type = useRef(onType);
  type.current = onType;
  useEffect(() => {
    if (host.current === null) return;
    const source = mountSource(host.current, { text: first.current, label: words.source, onType: (text) => type.current(text) });
    mounted.current = source;
    return () => source.end();
  }, []);
  useEffect(() => mounted.current?.show(shown.text), [shown]);
  useEffect(() => mounted.current?.mark(fault), [fault]);
  return (
    <section className="panel mapping__source" aria-label={words.source}>
      <h2>{words.source}</h2>
      <div className="source" ref={host} />
      <p className="field__hint">{words.sourceHint}</p>
    </section>
  );
}
