import { useState, type DragEvent, type KeyboardEvent } from "react";
import { Button } from "../../controls/button.tsx";
import { connected, proposals, sourceFields, targetFields, type SourceField, type TargetField } from "../../mappings/connect-fields.ts";
import { documentStrings as words } from "../../strings/mappings.ts";
import "./connect-panel.css";

export interface ConnectProps {
  readonly document: Readonly<Record<string, unknown>>;
  readonly sample: string;
  readonly onChange: (text: string) => void;
}

/** Source and target fields side by side: connect them by dragging, or with a button or the key M. */
export function ConnectPanel({ document, sample, onChange }: ConnectProps) {
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [note, setNote] = useState("");
  const sources = sourceFields(sample);
  const targets = targetFields(document);
  const suggestions = proposals(document, sample);
  const connect = (source: string | undefined, target: Pick<TargetField, "path" | "rule">): void => {
    const text = source === undefined ? undefined : connected(document, source, target);
    if (source === undefined || text === undefined) return;
    onChange(text);
    setNote(words.connected(source, target.path));
    setChosen(undefined);
  };
  const connectAll = (): void => {
    const text = suggestions.reduce(
      (before, { source, target }) => connected(JSON.parse(before) as ConnectProps["document"], source, target) ?? before,
      JSON.stringify(document),
    );
    onChange(text);
    setNote(words.connectedAll(suggestions.length));
  };
  const asNew = (source: string): Pick<TargetField, "path" | "rule"> => ({ path: source.replaceAll("[*]", "").replace(/.*[.\]']\b/, ""), rule: undefined });
  if (sources.length === 0) return null;
  return (
    <section className="panel connect" aria-label={words.connect}>
      <div className="connect__head">
        <h2>{words.connect}</h2>
        <span aria-live="polite" className="muted">
          {note}
        </span>
        <span className="grow" />
        {suggestions.length === 0 ? null : (
          <Button title={suggestions.map(({ source, target }) => `${source} → ${target.path}`).join("\n")} onClick={connectAll}>
            {words.connectMatching(suggestions.length)}
          </Button>
        )}
        <Button disabled={chosen === undefined} onClick={() => chosen !== undefined && connect(chosen, asNew(chosen))}>
          {words.connectNew}
        </Button>
      </div>
      <p className="field__hint">{words.connectHint}</p>
      <div className="connect__sides">
        <ul className="connect__list" aria-label={words.connectSource}>
          {sources.map((field) => (
            <Source key={field.path} field={field} isChosen={chosen === field.path} onChoose={setChosen} />
          ))}
        </ul>
        <ul className="connect__list" aria-label={words.connectTarget}>
          {targets.map((field) => (
            <Target key={`${field.path} ${field.rule?.join(".") ?? ""}`} field={field} chosen={chosen} onConnect={connect} />
          ))}
        </ul>
      </div>
    </section>
  );
}

const indent = (depth: number) => ({ paddingInlineStart: `${8 + depth * 16}px` });
const kind = "text/x-sluice-field";

interface SourceProps {
  readonly field: SourceField;
  readonly isChosen: boolean;
  readonly onChoose: (path: string | undefined) => void;
}

function Source({ field: { path, name, depth, example }, isChosen, onChoose }: SourceProps) {
  return (
    <li>
      <button
        type="button"
        className="connect__field"
        style={indent(depth)}
        aria-pressed={isChosen}
        draggable
        onDragStart={(event) => event.dataTransfer.setData(kind, path)}
        onClick={() => onChoose(isChosen ? undefined : path)}
        onKeyDown={(event) => {
          if (event.key.toLowerCase() !== "m" || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          onChoose(path);
          event.currentTarget.closest(".connect")?.querySelector<HTMLElement>("[data-target]")?.focus();
        }}
      >
        <span className="mono">{name}</span> <span className="mono muted">{example}</span>
      </button>
    </li>
  );
}

interface TargetProps {
  readonly field: TargetField;
  readonly chosen: string | undefined;
  readonly onConnect: (source: string | undefined, target: TargetField) => void;
}

function Target({ field, chosen, onConnect }: TargetProps) {
  const { name, depth, filledFrom, required, path } = field;
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent): void => {
    if (!event.dataTransfer.types.includes(kind)) return;
    event.preventDefault();
    setOver(true);
  };
  const walk = (event: KeyboardEvent<HTMLElement>): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const all = [...(event.currentTarget.closest("ul")?.querySelectorAll<HTMLElement>("[data-target]") ?? [])];
    all[all.indexOf(event.currentTarget) + by]?.focus();
  };
  return (
    <li>
      <button
        type="button"
        className="connect__field"
        style={indent(depth)}
        data-target={path}
        data-over={isOver || undefined}
        aria-label={words.connectTo(path, filledFrom, required && filledFrom === undefined)}
        aria-disabled={chosen === undefined}
        onKeyDown={walk}
        onDragOver={over}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          setOver(false);
          event.preventDefault();
          onConnect(event.dataTransfer.getData(kind), field);
        }}
        onClick={() => onConnect(chosen, field)}
      >
        <span className="mono">{name}</span>{" "}
        {filledFrom === undefined ? (
          <span className={required ? "connect__missing" : "muted"}>{required ? words.connectRequired : words.connectEmpty}</span>
        ) : (
          <span className="muted">
            {words.connectFrom} <span className="mono">{filledFrom}</span>
          </span>
        )}
      </button>
    </li>
  );
}
