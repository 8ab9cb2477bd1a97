import { Plus, Search, Shuffle } from "lucide-react";
import { useMemo, useRef, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { Button } from "../../../controls/button.tsx";
import { appliedTo, mappingFunctions } from "../../../mappings/function-list.ts";
import { outputValue, proposals, sourceFields, targetFields, type SourceField, type TargetField } from "../../../mappings/mapping-fields.ts";
import { isMembers, type Members } from "../../../data-panel/message-data.ts";
import { relativePath } from "../../../mappings/mapping-paths.ts";
import { addedField, linked, moved, renamed, reordered, unlinked, withFormula, withLookup, withMember, withSide } from "../../../mappings/rule-edits.ts";
import { mapperStrings as words } from "../../../strings/mapper.ts";
import type { KeptSample } from "../use-preview.ts";
import { FunctionDialog, LookupDialog, NameDialog, SideDialog } from "./field-dialogs.tsx";
import { SourceTree, TargetTree, type TargetAction } from "./field-trees.tsx";
import { FormulaInput } from "./formula-input.tsx";
import { MappingLines } from "./mapping-lines.tsx";
import "./mapper.css";

export interface MapperProps {
  readonly document: Members;
  readonly sample: string;
  readonly output: string | undefined;
  /** Errors by target path. */
  readonly errors: ReadonlyMap<string, string>;
  readonly runtime: string | undefined;
  /** Changes of the same group are one step of the undo history. */
  readonly onChange: (document: Members, group?: string) => void;
  readonly onSample: (text: string) => void;
  readonly result: ReactNode;
  readonly kept: readonly KeptSample[];
  readonly onKeep: () => void;
}

type Open = "function" | "lookup" | "add" | "rename" | "source" | "target";

/** Source tree, links, target tree and result; the formula of the selected target above them. */
export function Mapper({ document, sample, output, errors, runtime, onChange, onSample, result, kept, onKeep }: MapperProps) {
  const frame = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [linking, setLinking] = useState<SourceField | undefined>(undefined);
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const [note, setNote] = useState<string>(words.hint);
  const sources = useMemo(() => sourceFields(sample), [sample]);
  const targets = useMemo(() => targetFields(document), [document]);
  const matching = useMemo(() => proposals(document, sample), [document, sample]);
  const selected = targets.find(({ path }) => path === chosen);
  const read = useMemo(() => new Set(targets.flatMap(({ sources: paths }) => paths)), [targets]);
  const used = useMemo(() => new Set(selected?.sources ?? []), [selected]);
  const names = useMemo(() => formulaNames(sources, loopsAround(targets, selected)), [sources, targets, selected]);

  const focusTarget = (path: string): void => frame.current?.querySelector<HTMLElement>(`[data-side="target"] [data-path="${CSS.escape(path)}"]`)?.focus();
  const focusField = (which: "formula" | "condition"): void => bar.current?.querySelector<HTMLInputElement>(`[data-field="${which}"] input`)?.focus();
  const link = (source: SourceField, target: TargetField): void => {
    flushSync(() => {
      onChange(linked(document, source, target));
      setLinking(undefined);
      setNote(words.linked(source.path, target.path));
      // A list field gets its brackets with the loop.
      setChosen(source.isObjectList && !target.path.endsWith("[]") ? `${target.path}[]` : target.path);
    });
    focusTarget(source.isObjectList && !target.path.endsWith("[]") ? `${target.path}[]` : target.path);
  };
  const startLink = (source: SourceField): void => {
    setLinking(source);
    setNote(words.linkHint(source.path));
    const first = selected ?? targets[0];
    if (first !== undefined) focusTarget(first.path);
  };
  const matchAll = (): void => {
    // One by one: a linked list changes what its fields are relative to.
    let next = document;
    for (const { source, target } of matching) {
      const now = targetFields(next).find(({ path }) => path === target.path);
      if (now?.rule === undefined && now !== undefined) next = linked(next, source, now);
    }
    onChange(next);
    setNote(words.matched(matching.length));
  };
  const act = (action: TargetAction, target: TargetField): void => {
    setChosen(target.path);
    if (action === "remove") return onChange(unlinked(document, target));
    if (action === "up" || action === "down") {
      const next = moved(document, target, action === "up" ? -1 : 1);
      return next === undefined ? undefined : onChange(next);
    }
    if (action === "formula" || action === "constant" || action === "condition") return focusField(action === "condition" ? "condition" : "formula");
    setOpen(action);
  };
  const close = (): void => {
    setOpen(undefined);
    if (chosen !== undefined) requestAnimationFrame(() => focusTarget(chosen));
  };
  const inside = selected?.isGroup === true ? selected : undefined;
  const side = (name: "source" | "target"): Members => (isMembers(document[name]) ? document[name] : {});
  const leaves = targets.filter(({ isGroup }) => !isGroup);
  const missing = targets.find(({ required, formula, isGroup }) => required && formula === undefined && !isGroup);
  return (
    <div className="mapper">
      <div className="mapper__bar" ref={bar}>
        <FormulaBar
          selected={selected}
          names={names}
          value={selected === undefined ? undefined : outputValue(output, selected.path)}
          error={selected === undefined ? undefined : errors.get(selected.path)}
          onFormula={(text, group) => selected !== undefined && onChange(withFormula(document, selected, text), group)}
          onCondition={(text, group) => selected !== undefined && onChange(withMember(document, selected, isLoop(selected) ? "where" : "when", text), group)}
        />
        <div className="mapper__tools" role="toolbar" aria-label={words.tools}>
          <Button icon={<Plus size={16} aria-hidden="true" />} disabled={selected === undefined || selected.isGroup} onClick={() => setOpen("function")}>
            {words.addFunction}
          </Button>
          <Button
            icon={<Search size={16} aria-hidden="true" />}
            disabled={(selected?.formula ?? "") === "" || selected?.isGroup === true}
            onClick={() => setOpen("lookup")}
          >
            {words.lookup}
          </Button>
          <Button
            aria-pressed={selected?.required === true}
            disabled={selected?.rule === undefined || selected.isGroup}
            onClick={() => selected !== undefined && onChange(withMember(document, selected, "required", selected.required ? undefined : true))}
          >
            {words.required}
          </Button>
          <Button onClick={() => setOpen("add")}>{words.addField}</Button>
          <Button disabled={selected?.rule === undefined} onClick={() => setOpen("rename")}>
            {words.rename}
          </Button>
          <Button disabled={selected?.rule === undefined} onClick={() => selected !== undefined && act("remove", selected)}>
            {words.remove}
          </Button>
        </div>
      </div>
      <div className="mapper__columns" ref={frame}>
        <section className="mapper__side" aria-label={words.source}>
          <div className="mapper__head">
            <h2>{words.source}</h2>
            <span className="chip">{String(side("source")["format"] ?? "json").toUpperCase()}</span>
            <span className="grow" />
            <Button onClick={() => setOpen("source")}>{words.setSource}</Button>
          </div>
          <SourceTree fields={sources} used={used} linked={read} linking={linking?.path} onLink={startLink} />
        </section>
        <MappingLines frame={frame} sources={sources} targets={targets} selected={chosen} onChoose={setChosen} />
        <section className="mapper__side" aria-label={words.target}>
          <div className="mapper__head">
            <h2>{words.target}</h2>
            <span className="chip">{String(side("target")["format"] ?? "json").toUpperCase()}</span>
            <span className="grow" />
            <Button onClick={() => setOpen("target")}>{words.setTarget}</Button>
          </div>
          <TargetTree
            fields={targets}
            selected={chosen}
            errors={errors}
            isLinking={linking !== undefined}
            onSelect={setChosen}
            onLink={(path, target) => {
              const source = path === undefined ? linking : sources.find((field) => field.path === path);
              if (source !== undefined) link(source, target);
            }}
            onReorder={(path, onto) => {
              const from = targets.find((field) => field.path === path);
              const next = from === undefined ? undefined : reordered(document, from, onto);
              setNote(next === undefined ? words.otherGroup : words.reordered(path));
              if (next !== undefined) onChange(next);
            }}
            onCancel={() => {
              setLinking(undefined);
              setNote(words.hint);
            }}
            onAction={act}
          />
        </section>
        <div className="mapper__result">{result}</div>
      </div>
      <div className="mapper__status">
        <span role="status">{note}</span>
        <span className="grow" />
        {missing === undefined ? null : <span className="problem-text">{words.missingRequired(missing.path)}</span>}
        {kept.length === 0 ? null : (
          <select className="input mapper__samples" aria-label={words.keptSamples} value={sample} onChange={(event) => onSample(event.target.value)}>
            {kept.some(({ text }) => text === sample) ? null : <option value={sample}>{words.otherSample}</option>}
            {kept.map(({ text, isValid }, index) => (
              <option key={text} value={text}>
                {words.keptSample(index + 1, isValid)}
              </option>
            ))}
          </select>
        )}
        {kept.length === 0 ? null : <span>{words.validFor(kept.filter(({ isValid }) => isValid).length, kept.length)}</span>}
        <Button disabled={sample.trim() === "" || kept.some(({ text }) => text === sample)} title={words.keepHint} onClick={onKeep}>
          {words.keep}
        </Button>
        <span>{words.mapped(leaves.filter(({ formula = "" }) => formula !== "").length, leaves.length)}</span>
        <Button icon={<Shuffle size={16} aria-hidden="true" />} disabled={matching.length === 0} onClick={matchAll}>
          {words.match(matching.length)}
        </Button>
      </div>
      {open === "function" && selected !== undefined ? (
        <FunctionDialog
          onChoose={(one) => {
            onChange(withFormula(document, selected, appliedTo(one, selected.formula ?? "")));
            setOpen(undefined);
            requestAnimationFrame(() => focusField("formula"));
          }}
          onClose={close}
        />
      ) : null}
      {open === "lookup" && selected !== undefined ? (
        <LookupDialog
          target={runtime}
          before={{}}
          onChoose={(lookup) => {
            onChange(withLookup(document, selected, lookup));
            close();
          }}
          onClose={close}
        />
      ) : null}
      {open === "add" ? (
        <NameDialog
          title={words.addTitle(inside?.path ?? "")}
          name=""
          onName={(name) => {
            onChange(addedField(document, inside, name));
            setChosen(inside === undefined ? name : `${inside.path}.${name}`);
            setOpen(undefined);
            requestAnimationFrame(() => focusTarget(inside === undefined ? name : `${inside.path}.${name}`));
          }}
          onClose={close}
        />
      ) : null}
      {open === "rename" && selected !== undefined ? (
        <NameDialog
          title={words.renameTitle(selected.path)}
          name={selected.name}
          onName={(name) => {
            onChange(renamed(document, selected, name));
            setChosen(`${selected.path.slice(0, -selected.name.length)}${name}`);
            setOpen(undefined);
          }}
          onClose={close}
        />
      ) : null}
      {open === "source" || open === "target" ? (
        <SideDialog
          side={open}
          format={String(side(open)["format"] ?? "json")}
          root={String(side(open)["root"] ?? "")}
          text={open === "source" ? sample : exampleText(side(open))}
          onApply={({ format, root, text }) => {
            const members = { format, root: format === "xml" && root !== "" ? root : undefined };
            if (open === "source") onSample(text);
            onChange(withSide(document, open, open === "source" ? members : { ...members, ...exampleOf(text) }));
            setOpen(undefined);
          }}
          onClose={close}
        />
      ) : null}
    </div>
  );
}

const isLoop = ({ isGroup, name }: TargetField): boolean => isGroup && name.endsWith("[]");

interface FormulaBarProps {
  readonly selected: TargetField | undefined;
  readonly names: readonly string[];
  readonly value: string | undefined;
  readonly error: string | undefined;
  readonly onFormula: (text: string, group: string) => void;
  readonly onCondition: (text: string, group: string) => void;
}

function FormulaBar({ selected, names, value, error, onFormula, onCondition }: FormulaBarProps) {
  if (selected === undefined) return <p className="muted mapper__choose">{words.chooseTarget}</p>;
  const { path, name, formula, when, isGroup } = selected;
  const loop = isLoop(selected);
  return (
    <div className="mapper__formula" key={path}>
      <b className="mapper__formula-name" title={path}>
        {name}
      </b>
      {isGroup && !loop ? (
        <span className="muted grow">{path}</span>
      ) : (
        <>
          <div className="mapper__field" data-field="formula">
            <FormulaInput
              label={loop ? words.forEachOf(path) : words.formulaOf(path)}
              placeholder={words.noFormula}
              value={formula ?? ""}
              isInvalid={error !== undefined}
              names={names}
              onChange={onFormula}
            />
          </div>
          <output
            className="mono mapper__formula-result"
            aria-label={words.resultOf(path)}
            title={error ?? value}
            data-fault={error !== undefined || undefined}
          >
            {error ?? value ?? ""}
          </output>
          <label className="mapper__when" data-field="condition">
            <span>{loop ? words.where : words.condition}</span>
            <FormulaInput label={loop ? words.whereOf(path) : words.conditionOf(path)} value={when} names={names} onChange={onCondition} />
          </label>
        </>
      )}
    </div>
  );
}

/** The loops around a target, with paths from the message. */
function loopsAround(targets: readonly TargetField[], selected: TargetField | undefined): readonly string[] {
  if (selected === undefined) return [];
  return targets.filter((target) => isLoop(target) && selected.path.startsWith(`${target.path}.`)).flatMap(({ sources }) => sources);
}

function formulaNames(sources: readonly SourceField[], loops: readonly string[]): readonly string[] {
  const paths = sources.filter(({ example }) => example !== undefined).map(({ path }) => relativePath(path, loops));
  return [...paths, ...(loops.length === 0 ? [] : ["$index"]), ...mappingFunctions.map(({ name }) => `${name}(`)];
}

/** The sample or schema of the target as text. */
function exampleText({ schema, sample }: Members): string {
  const given = schema ?? sample;
  return given === undefined ? "" : typeof given === "string" ? given : JSON.stringify(given, null, 2);
}

/** JSON with `properties` or `$schema` is a schema, everything else a sample. */
function exampleOf(text: string): Members {
  if (text.trim() === "") return { schema: undefined, sample: undefined };
  try {
    const value = JSON.parse(text) as unknown;
    const isSchema = isMembers(value) && (value["properties"] !== undefined || value["$schema"] !== undefined);
    return isSchema ? { schema: value, sample: undefined } : { schema: undefined, sample: value };
  } catch {
    return { schema: undefined, sample: text };
  }
}
