import { ArrowLeft } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { Link } from "wouter";
import { Button } from "../../controls/button.tsx";
import { FailureBanner } from "../../controls/failure-banner.tsx";
import { mappingStrings as words } from "../../strings/mappings.ts";
import type { Saving } from "./use-saving.ts";

export interface MappingFrameProps {
  readonly id: string;
  readonly title: string;
  readonly isInstalled: boolean;
  readonly isChanged: boolean;
  readonly isRestored: boolean;
  readonly saving: Saving;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  readonly children: ReactNode;
}

/** The shared layout of the table and document editors: back link, Save, and its result. */
export function MappingFrame({ id, title, isInstalled, isChanged, isRestored, saving, onSave, onDiscard, children }: MappingFrameProps) {
  useSaveKey(onSave);
  return (
    <div className="screen mapping">
      <Link href="/mappings" className="mapping__back">
        <ArrowLeft size={16} aria-hidden="true" />
        {words.back}
      </Link>
      <div className="screen__head">
        <h1>{title}</h1>
        {title === id ? null : <span className="mono muted">{id}</span>}
        {isInstalled ? null : <span className="chip">{words.isNew}</span>}
        {isChanged ? <span className="chip chip--warn">{words.unsaved}</span> : null}
        <span className="grow" />
        {isChanged ? <Button onClick={onDiscard}>{words.discard}</Button> : null}
        <Button variant="primary" title={words.saveHint} disabled={saving.isBusy || (!isChanged && isInstalled)} onClick={onSave}>
          {words.save}
        </Button>
      </div>
      <p className={saving.note === "" ? "visually-hidden" : "muted"} role="status">
        {saving.note}
      </p>
      {saving.error === undefined ? null : <FailureBanner text={saving.error} />}
      {isRestored && isInstalled && saving.error === undefined ? (
        <div className="banner banner--info">
          <span className="banner__text">{words.restored}</span>
        </div>
      ) : null}
      {children}
    </div>
  );
}

function useSaveKey(onSave: () => void): void {
  const latest = useRef(onSave);
  latest.current = onSave;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** A list of messages about the mapping. */
export function Remarks({ title, variant, sentences }: { readonly title: string; readonly variant: "warn" | "fail"; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <section className={`remarks remarks--${variant}`} aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {sentences.map((sentence, index) => (
          <li key={index}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}
