import { Filter, Hash, Plus, Search, Shuffle } from "lucide-react";
import { useMemo, useRef, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { Button } from "../../../controls/button.tsx";
import { applyFunction, mappingFunctions } from "../../../mappings/function-list.ts";
import { outputValue, proposals, sourceFields, targetFields, type SourceField, type TargetField } from "../../../mappings/mapping-fields.ts";
import { isMembers, type Members } from "../../../data-panel/message-data.ts";
import { relativePath } from "../../../mappings/mapping-paths.ts";
import {
  addField,
  linkField,
  moveField,
  renameField,
  reorderField,
  unlinkField,
  withFormula,
  withLookup,
  withMember,
  withSide,
} from "../../../mappings/rule-edits.ts";
import { mapperStrings as labels } from "../../../strings/mapper.ts";
import type { KeptSample } from "../use-preview.ts";
import { ConditionDialog } from "./condition-dialog.tsx";
import { FunctionDialog, LookupDialog, NameDialog, SideDialog } from "./field-dialogs.tsx";
import { SourceTree, TargetTree, type TargetAction } from "./field-trees.tsx";
import { FormulaInput } from "./formula-input.tsx";
import { MappingLines } from "./mapping-lines.tsx";
import { ValueDialog } from "./value-dialog.tsx";
import "./mapper.css";

export interface MapperProps {
  readonly document: Members;
  readonly sample: string;
  readonly output: string | undefined;
  /** Errors by target path. */
  readonly errors: ReadonlyMap<string, string>;
  readonly runtime: string | undefined;
  /** Changes of the same group are one undo step. */
  readonly onChange: (document: Members, group?: string) => void;
  readonly onSample: (text: string) => void;
  readonly result: ReactNode;
  readonly keptSamples: readonly KeptSample[];
  readonly onKeep: () => void;
}

type OpenDialog = "function" | "value" | "condition" | "lookup" | "add" | "rename" | "source" | "target";

/** Source tree, links, target tree and result; the formula of the selected target above them. */
export function Mapper({ document, sample, output, errors, runtime, onChange, onSample, result, keptSamples, onKeep }: MapperProps) {
  const frame = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const [selectedPath, setSelectedPath] = useState<string | undefined>(undefined);
  const [linking, setLinking] = useState<SourceField | undefined>(undefined);
  const [dialog, setDialog] = useState<OpenDialog | undefined>(undefined);
  const [note, setNote] = useState<string>(labels.hint);
  const sources = useMemo(() => sourceFields(sample), [sample]);
  const targets = useMemo(() => targetFields(document), [document]);
  const matchingFields = useMemo(() => proposals(document, sample), [document, sample]);
  const selected = targets.find(({ path }) => path === selectedPath);
  const linkedPaths = useMemo(() => new Set(targets.flatMap(({ sources: paths }) => paths)), [targets]);
  const used = useMemo(() => new Set(selected?.sources ?? []), [selected]);
  const loops = useMemo(() => loopsAround(targets, selected), [targets, selected]);
  const names = useMemo(() => formulaNames(sources, loops), [sources, loops]);
  const setCondition = (target: TargetField, text: string, group?: string): void =>
    onChange(withMember(document, target, isLoop(target) ? "where" : "when", text), group);

  const focusTarget = (path: string): void => frame.current?.querySelector<HTMLElement>(`[data-side="target"] [data-path="${CSS.escape(path)}"]`)?.focus();
  const focusField = (which: "formula" | "condition"): void => bar.current?.querySelector<HTMLInputElement>(`[data-field="${which}"] input`)?.focus();
  const link = (source: SourceField, target: TargetField): void => {
    flushSync(() => {
      onChange(linkField(document, source, target));
      setLinking(undefined);
      setNote(labels.linked(source.path, target.path));
      // A list field gets its brackets with the loop.
      setSelectedPath(source.isObjectList && !target.path.endsWith("[]") ? `${target.path}[]` : target.path);
    });
    focusTarget(source.isObjectList && !target.path.endsWith("[]") ? `${target.path}[]` : target.path);
  };
  const startLink = (source: SourceField): void => {
    setLinking(source);
    setNote(labels.linkHint(source.path));
    const first = selected ?? targets[0];
    if (first !== undefined) focusTarget(first.path);
  };
  const matchAll = (): void => {
    // One by one: linking a list changes the paths of the fields inside it.
    let next = document;
    for (const { source, target } of matchingFields) {
      const current = targetFields(next).find(({ path }) => path === target.path);
      if (current !== undefined && current.rule === undefined) next = linkField(next, source, current);
    }
    onChange(next);
    setNote(labels.matched(matchingFields.length));
  };
  const act = (action: TargetAction, target: TargetField): void => {
    setSelectedPath(target.path);
    if (action === "remove") return onChange(unlinkField(document, target));
    if (action === "up" || action === "down") {
      const next = moveField(document, target, action === "up" ? -1 : 1);
      return next === undefined ? undefined : onChange(next);
    }
    if (action === "formula" || action === "constant" || action === "condition") return focusField(action === "condition" ? "condition" : "formula");
    setDialog(action);
  };
  const close = (): void => {
    setDialog(undefined);
    if (selectedPath !== undefined) requestAnimationFrame(() => focusTarget(selectedPath));
  };
  const parent = selected?.isGroup === true ? selected : undefined;
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
          onCondition={(text, group) => selected !== undefined && setCondition(selected, text, group)}
        />
        <div className="mapper__tools" role="toolbar" aria-label={labels.tools}>
          <Button icon={<Plus size={16} aria-hidden="true" />} disabled={selected === undefined || selected.isGroup} onClick={() => setDialog("function")}>
            {labels.addFunction}
          </Button>
          <Button icon={<Hash size={16} aria-hidden="true" />} disabled={selected === undefined || selected.isGroup} onClick={() => setDialog("value")}>
            {labels.setValue}
          </Button>
          <Button
            icon={<Filter size={16} aria-hidden="true" />}
            disabled={selected?.rule === undefined || (selected.isGroup && !isLoop(selected))}
            onClick={() => setDialog("condition")}
          >
            {labels.setCondition}
          </Button>
          <Button
            icon={<Search size={16} aria-hidden="true" />}
            disabled={(selected?.formula ?? "") === "" || selected?.isGroup === true}
            onClick={() => setDialog("lookup")}
          >
            {labels.lookup}
          </Button>
          <Button
            aria-pressed={selected?.required === true}
            disabled={selected?.rule === undefined || selected.isGroup}
            onClick={() => selected !== undefined && onChange(withMember(document, selected, "required", selected.required ? undefined : true))}
          >
            {labels.required}
          </Button>
          <Button onClick={() => setDialog("add")}>{labels.addField}</Button>
          <Button disabled={selected?.rule === undefined} onClick={() => setDialog("rename")}>
            {labels.rename}
          </Button>
          <Button disabled={selected?.rule === undefined} onClick={() => selected !== undefined && act("remove", selected)}>
            {labels.remove}
          </Button>
        </div>
      </div>
      <div className="mapper__columns" ref={frame}>
        <section className="mapper__side" aria-label={labels.source}>
          <div className="mapper__head">
            <h2>{labels.source}</h2>
            <span className="chip">{String(side("source")["format"] ?? "json").toUpperCase()}</span>
            <span className="grow" />
            <Button onClick={() => setDialog("source")}>{labels.setSource}</Button>
          </div>
          <SourceTree fields={sources} used={used} linked={linkedPaths} linking={linking?.path} onLink={startLink} />
        </section>
        <MappingLines frame={frame} sources={sources} targets={targets} selected={selectedPath} onChoose={setSelectedPath} />
        <section className="mapper__side" aria-label={labels.target}>
          <div className="mapper__head">
            <h2>{labels.target}</h2>
            <span className="chip">{String(side("target")["format"] ?? "json").toUpperCase()}</span>
            <span className="grow" />
            <Button onClick={() => setDialog("target")}>{labels.setTarget}</Button>
          </div>
          <TargetTree
            fields={targets}
            selected={selectedPath}
            errors={errors}
            isLinking={linking !== undefined}
            onSelect={setSelectedPath}
            onLink={(path, target) => {
              const source = path === undefined ? linking : sources.find((field) => field.path === path);
              if (source !== undefined) link(source, target);
            }}
            onReorder={(path, onto) => {
              const from = targets.find((field) => field.path === path);
              const next = from === undefined ? undefined : reorderField(document, from, onto);
              setNote(next === undefined ? labels.otherGroup : labels.reordered(path));
              if (next !== undefined) onChange(next);
            }}
            onCancel={() => {
              setLinking(undefined);
              setNote(labels.hint);
            }}
            onAction={act}
          />
        </section>
        <div className="mapper__result">{result}</div>
      </div>
      <div className="mapper__status">
        <span role="status">{note}</span>
        <span className="grow" />
        {missing === undefined ? null : <span className="problem-text">{labels.missingRequired(missing.path)}</span>}
        {keptSamples.length === 0 ? null : (
          <select className="input mapper__samples" aria-label={labels.keptSamples} value={sample} onChange={(event) => onSample(event.target.value)}>
            {keptSamples.some(({ text }) => text === sample) ? null : <option value={sample}>{labels.otherSample}</option>}
            {keptSamples.map(({ text, isValid }, index) => (
              <option key={text} value={text}>
                {labels.keptSample(index + 1, isValid)}
              </option>
            ))}
          </select>
        )}
        {keptSamples.length === 0 ? null : <span>{labels.validFor(keptSamples.filter(({ isValid }) => isValid).length, keptSamples.length)}</span>}
        <Button disabled={sample.trim() === "" || keptSamples.some(({ text }) => text === sample)} title={labels.keepHint} onClick={onKeep}>
          {labels.keep}
        </Button>
        <span>{labels.mapped(leaves.filter(({ formula = "" }) => formula !== "").length, leaves.length)}</span>
        <Button icon={<Shuffle size={16} aria-hidden="true" />} disabled={matchingFields.length === 0} onClick={matchAll}>
          {labels.match(matchingFields.length)}
        </Button>
      </div>
      {dialog === "function" && selected !== undefined ? (
        <FunctionDialog
          onChoose={(selectedFunction) => {
            onChange(withFormula(document, selected, applyFunction(selectedFunction, selected.formula ?? "")));
            setDialog(undefined);
            requestAnimationFrame(() => focusField("formula"));
          }}
          onClose={close}
        />
      ) : null}
      {dialog === "value" && selected !== undefined ? (
        <ValueDialog
          document={document}
          path={selected.path}
          isInLoop={loops.length > 0}
          onChoose={(formula) => {
            onChange(withFormula(document, selected, formula));
            close();
          }}
          onClose={close}
        />
      ) : null}
      {dialog === "condition" && selected !== undefined ? (
        <ConditionDialog
          title={isLoop(selected) ? labels.whereOf(selected.path) : labels.conditionOf(selected.path)}
          existing={selected.when}
          sources={sources.filter(({ example }) => example !== undefined)}
          // The filter of a loop reads its items.
          loops={isLoop(selected) ? [...loops, ...selected.sources] : loops}
          sample={sample}
          onCondition={(text) => {
            setCondition(selected, text);
            close();
          }}
          onClose={close}
        />
      ) : null}
      {dialog === "lookup" && selected !== undefined ? (
        <LookupDialog
          target={runtime}
          initial={{}}
          onChoose={(lookup) => {
            onChange(withLookup(document, selected, lookup));
            close();
          }}
          onClose={close}
        />
      ) : null}
      {dialog === "add" ? (
        <NameDialog
          title={labels.addTitle(parent?.path ?? "")}
          name=""
          onName={(name) => {
            onChange(addField(document, parent, name));
            setSelectedPath(parent === undefined ? name : `${parent.path}.${name}`);
            setDialog(undefined);
            requestAnimationFrame(() => focusTarget(parent === undefined ? name : `${parent.path}.${name}`));
          }}
          onClose={close}
        />
      ) : null}
      {dialog === "rename" && selected !== undefined ? (
        <NameDialog
          title={labels.renameTitle(selected.path)}
          name={selected.name}
          onName={(name) => {
            onChange(renameField(document, selected, name));
            setSelectedPath(`${selected.path.slice(0, -selected.name.length)}${name}`);
            setDialog(undefined);
          }}
          onClose={close}
        />
      ) : null}
      {dialog === "source" || dialog === "target" ? (
        <SideDialog
          side={dialog}
          format={String(side(dialog)["format"] ?? "json")}
          root={String(side(dialog)["root"] ?? "")}
          text={dialog === "source" ? sample : exampleText(side(dialog))}
          onApply={({ format, root, text }) => {
            const members = { format, root: format === "xml" && root !== "" ? root : undefined };
            if (dialog === "source") onSample(text);
            onChange(withSide(document, dialog, dialog === "source" ? members : { ...members, ...exampleOf(text) }));
            setDialog(undefined);
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
  if (selected === undefined) return <p className="muted mapper__empty">{labels.chooseTarget}</p>;
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
              label={loop ? labels.forEachOf(path) : labels.formulaOf(path)}
              placeholder={labels.noFormula}
              value={formula ?? ""}
              isInvalid={error !== undefined}
              names={names}
              onChange={onFormula}
            />
          </div>
          <output
            className="mono mapper__formula-result"
            aria-label={labels.resultOf(path)}
            title={error ?? value}
            data-invalid={error !== undefined || undefined}
          >
            {error ?? value ?? ""}
          </output>
          <label className="mapper__when" data-field="condition">
            <span>{loop ? labels.where : labels.condition}</span>
            <FormulaInput label={loop ? labels.whereOf(path) : labels.conditionOf(path)} value={when} names={names} onChange={onCondition} />
          </label>
        </>
      )}
    </div>
  );
}

/** The absolute paths of the loops around a target. */
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
  const example = schema ?? sample;
  return example === undefined ? "" : typeof example === "string" ? example : JSON.stringify(example, null, 2);
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
