import { useMemo, useState } from "react";
import { flushSync } from "react-dom";
import type { Path } from "@sluice/model";
import { kindOfStep, type FlowCatalog, type StepKind } from "../catalog/flow-catalog.ts";
import { elementYaml, routeYaml, sendYaml, starterYaml } from "../catalog/starter-yaml.ts";
import { useCatalog } from "../catalog/use-catalog.ts";
import type { DocumentCommand } from "../commands/command.ts";
import { addElement } from "../commands/add-element.ts";
import { insertStepsAt } from "../commands/insert-step.ts";
import { addBranch, replaceBy, wrapIn } from "../commands/wrap-steps.ts";
import { Dialog } from "../controls/dialog.tsx";
import { SearchList } from "../controls/search-list.tsx";
import { stepAt, type OpenFlow } from "../document/open-flow.ts";
import { useEditor } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import { readSetting, writeSetting } from "../workspace/workspace-store.ts";
import { actOn, focusSelected } from "./canvas-actions.ts";
import { openPicker, useCanvasUi, type PickerRequest } from "./canvas-ui.ts";
import { StepIcon } from "./step-icon.tsx";

const words = strings.canvas;
const recentKey = "sluice.recentSteps";
const mostRecent = 5;

interface Choice {
  readonly key: string;
  readonly title: string;
  readonly word: string;
  readonly summary: string;
  readonly kind: StepKind;
  readonly icon: string | undefined;
  readonly group: string;
  /** Other words that find it. */
  readonly keywords?: readonly string[];
  command(request: PickerRequest): DocumentCommand;
}

/** The searchable list for adding, wrapping or replacing steps and for adding branches. */
export function StepPicker() {
  const request = useCanvasUi((state) => state.picker);
  return request === undefined ? null : <Picker request={request} />;
}

function Picker({ request }: { readonly request: PickerRequest }) {
  const editor = useEditor();
  const catalog = useCatalog();
  const [query, setQuery] = useState("");
  const choices = useMemo(() => choicesFor(request, catalog, editor.flow), [request, catalog, editor]);
  const shown = useMemo(() => matching(choices, query), [choices, query]);
  const close = (): void => {
    flushSync(() => openPicker(undefined));
    focusSelected(editor);
  };
  const choose = (choice: Choice): void => {
    close();
    remember(choice.key);
    actOn(editor, choice.command(request));
  };
  const title = { insert: words.pickStep, wrap: words.pickWrap, replace: words.pickReplace, branch: words.pickBranch, element: words.pickElement }[request.for];
  return (
    <Dialog title={title} onClose={close}>
      <SearchList
        label={words.pickLabel}
        listLabel={title}
        query={query}
        onQuery={setQuery}
        items={shown}
        keyOf={({ group, key }) => `${group}-${key}`}
        onChoose={choose}
        none={catalog === undefined ? words.pickWait : words.pickNone}
      >
        {(choice) => (
          <>
            <StepIcon icon={choice.icon} kind={choice.kind} />
            <span className="picker__text">
              <span className="picker__title">
                {choice.title} <span className="mono muted">{choice.word}</span>
              </span>
              <span className="muted">{choice.summary}</span>
            </span>
            <span className="search-list__aside">{choice.group}</span>
          </>
        )}
      </SearchList>
    </Dialog>
  );
}

function choicesFor(request: PickerRequest, catalog: FlowCatalog | undefined, flow: OpenFlow): readonly Choice[] {
  if (catalog === undefined) return [];
  if (request.for === "branch") return branchChoices(catalog, flow, request.step);
  if (request.for === "element") return elementChoices(catalog, flow);
  const steps = (request.for === "wrap" ? catalog.holders() : catalog.view.steps).map((step): Choice => {
    const yaml = starterYaml(step);
    return {
      key: step.name,
      title: step.title,
      word: step.name,
      summary: step.summary,
      kind: kindOfStep(step.name, step),
      icon: step.icon,
      group: step.group,
      keywords: step.keywords ?? [],
      command: (to) => commandFor(to, step.title, yaml),
    };
  });
  if (request.for === "wrap") return steps;
  const connectors = catalog.connectorsWith("sink").map((connector): Choice => {
    const title = words.pickSend(connector.title);
    const yaml = sendYaml(connector);
    return {
      key: `to:${connector.scheme}`,
      title,
      word: connector.scheme,
      summary: connector.summary,
      kind: "endpoint",
      icon: connector.icon,
      group: `${words.groups.connectors} · ${connector.group}`,
      keywords: connector.keywords ?? [],
      command: (to) => commandFor(to, title, yaml),
    };
  });
  return ranked([...steps, ...connectors]);
}

function commandFor(request: PickerRequest, title: string, yaml: string): DocumentCommand {
  if (request.for === "wrap") return wrapIn(`${words.wrap} ${title}`, yaml);
  if (request.for === "replace") return replaceBy(`${words.replace} ${title}`, yaml);
  return insertStepsAt(`${words.addStep}: ${title}`, [yaml], request.for === "insert" ? request.place : () => undefined);
}

function branchChoices(catalog: FlowCatalog, flow: OpenFlow, path: Path): readonly Choice[] {
  const step = stepAt(flow, path);
  if (step === undefined) return [];
  return catalog
    .branches(step.name)
    .filter(({ many, option }) => many || !step.blocks.some((block) => block.name === option.name))
    .map((branch) => ({
      key: branch.option.name,
      title: words.addBranchOf(branch.option.name),
      word: "",
      summary: branch.option.doc,
      kind: "routing",
      icon: "git-branch",
      group: step.name,
      command: () => addBranch(words.addBranchOf(branch.option.name), path, branch),
    }));
}

/** Routes by trigger, and the other top-level elements. */
function elementChoices(catalog: FlowCatalog, flow: OpenFlow): readonly Choice[] {
  const routes = catalog.connectorsWith("source").map((connector): Choice => {
    const title = words.pickRoute(connector.title);
    const command = (): DocumentCommand => addElement(title, routeYaml(connector, `${flow.id}-${connector.scheme}`), false);
    return {
      key: `from:${connector.scheme}`,
      title,
      word: connector.scheme,
      summary: connector.summary,
      kind: "trigger",
      icon: connector.icon,
      group: words.groups.routes,
      command,
    };
  });
  const elements = catalog.view.entities
    .filter(({ raw }) => raw !== true)
    .map((entity): Choice => {
      const command = (): DocumentCommand => addElement(entity.title, elementYaml(entity), entity.beforeRoutes === true);
      const kind = /error|exception/i.test(entity.name) ? "error" : "other";
      return { key: entity.name, title: entity.title, word: entity.name, summary: entity.summary, kind, icon: entity.icon, group: entity.group, command };
    });
  return [...routes, ...elements];
}

/** Recently used entries come first. */
function ranked(choices: readonly Choice[]): readonly Choice[] {
  const recent = recentSteps();
  const first = recent.flatMap((key) => choices.filter((choice) => choice.key === key)).map((choice) => ({ ...choice, group: words.groups.recent }));
  return [...first, ...choices.filter((choice) => !recent.includes(choice.key))];
}

/** Names that start with the query rank before names that contain it, and those before matches in the summary. */
function matching(choices: readonly Choice[], query: string): readonly Choice[] {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return choices;
  const rank = ({ title, word, summary, keywords = [] }: Choice): number => {
    const name = `${title} ${word}`.toLowerCase();
    const first = parts[0] as string;
    if (parts.every((part) => name.includes(part)))
      return word.toLowerCase() === first ? 0 : name.startsWith(first) || word.toLowerCase().startsWith(first) ? 1 : 2;
    if (parts.every((part) => keywords.includes(part))) return 1;
    return parts.every((part) => `${name} ${summary.toLowerCase()}`.includes(part)) ? 3 : 4;
  };
  return choices
    .map((choice) => ({ choice, at: rank(choice) }))
    .filter(({ at }) => at < 4)
    .sort((one, other) => one.at - other.at)
    .map(({ choice }) => choice);
}

const recentSteps = (): readonly string[] => (readSetting(recentKey) ?? "").split(" ").filter(Boolean);

function remember(key: string): void {
  writeSetting(recentKey, [key, ...recentSteps().filter((one) => one !== key)].slice(0, mostRecent).join(" "));
}
