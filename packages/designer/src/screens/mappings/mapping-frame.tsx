import { ArrowLeft, Redo2, Undo2 } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { Link, useSearchParams } from "wouter";
import { Button } from "../../controls/button.tsx";
import { FailureBanner } from "../../controls/failure-banner.tsx";
import { mappingStrings as labels } from "../../strings/mappings.ts";
import type { Saving } from "./use-saving.ts";

export interface MappingFrameProps {
  readonly id: string;
  readonly title: string;
  readonly isChanged: boolean;
  readonly isRestored: boolean;
  readonly saving: Saving;
  readonly target: string | undefined;
  readonly undo: (() => void) | undefined;
  readonly redo: (() => void) | undefined;
  /** Controls between the title and the buttons. */
  readonly views?: ReactNode;
  readonly onSave: () => void;
  readonly onDeploy: () => void;
  readonly onDiscard: () => void;
  /** Replaces the draft with the version that the runtime uses. */
  readonly onUseDeployed: () => void;
  readonly children: ReactNode;
}

/** The shared layout of the table and document editors: back link, undo, Save and Deploy, and their result. */
export function MappingFrame(props: MappingFrameProps) {
  const { id, title, isChanged, isRestored, saving, target, undo, redo, views, onSave, onDeploy, onDiscard, onUseDeployed, children } = props;
  useKeys({ s: onSave, Enter: onDeploy, z: undo, y: redo, "Shift+z": redo });
  const flow = useSearchParams()[0].get("flow");
  const isInstalled = saving.saved.hash !== undefined;
  return (
    <div className="screen mapping">
      <Link href={flow === null ? "/mappings" : `/flows/${flow}`} className="mapping__back">
        <ArrowLeft size={16} aria-hidden="true" />
        {flow === null ? labels.back : labels.backToFlow(flow)}
      </Link>
      <div className="screen__head">
        <h1>{title}</h1>
        {title === id ? null : <span className="mono muted">{id}</span>}
        <span className={`chip${saving.state === "deployed" ? " chip--ok" : ""}`}>{labels.states[saving.state]}</span>
        {isChanged ? <span className="chip chip--warn">{labels.unsaved}</span> : null}
        <span className="grow" />
        {views}
        <span className="grow" />
        <Button
          variant="quiet"
          icon={<Undo2 size={16} aria-hidden="true" />}
          aria-label={labels.undo}
          title={labels.undo}
          disabled={undo === undefined}
          onClick={undo}
        />
        <Button
          variant="quiet"
          icon={<Redo2 size={16} aria-hidden="true" />}
          aria-label={labels.redo}
          title={labels.redo}
          disabled={redo === undefined}
          onClick={redo}
        />
        {isChanged ? <Button onClick={onDiscard}>{labels.discard}</Button> : null}
        {saving.state === "changed" && !isChanged ? <Button onClick={onUseDeployed}>{labels.useDeployed}</Button> : null}
        <Button title={labels.saveHint} disabled={saving.isBusy || (!isChanged && saving.saved.document !== undefined)} onClick={onSave}>
          {labels.save}
        </Button>
        <Button variant="primary" title={labels.deployHint} disabled={saving.isBusy || (!isChanged && saving.state === "deployed")} onClick={onDeploy}>
          {labels.deploy(target ?? "")}
        </Button>
      </div>
      <p className={saving.note === "" ? "visually-hidden" : "muted"} role="status">
        {saving.note}
      </p>
      {saving.error === undefined ? null : <FailureBanner text={saving.error} />}
      {isRestored && isInstalled && saving.error === undefined ? (
        <div className="banner banner--info">
          <span className="banner__text">{labels.restored}</span>
        </div>
      ) : null}
      {children}
    </div>
  );
}

type Keys = Readonly<Record<string, (() => void) | undefined>>;

/** Runs an action for Ctrl or ⌘ with a key. A focused field and the source editor handle undo and redo themselves. */
function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector("dialog[open]") !== null) return;
      const name = `${event.shiftKey ? "Shift+" : ""}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
      if (!Object.hasOwn(latest.current, name)) return;
      const isTyping = event.target instanceof Element && event.target.closest("input, textarea, .cm-editor") !== null;
      if (isTyping && name !== "s" && name !== "Enter") return;
      event.preventDefault();
      latest.current[name]?.();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** A list of messages about the mapping. */
export function MessageList({ title, variant, messages }: { readonly title: string; readonly variant: "warn" | "fail"; readonly messages: readonly string[] }) {
  if (messages.length === 0) return null;
  return (
    <section className={`remarks remarks--${variant}`} aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {messages.map((message, index) => (
          <li key={index}>{message}</li>
        ))}
      </ul>
    </section>
  );
}
