import { useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { closest, type KameletView, type PaletteGroup, type Path } from "@sluice/model";
import { kindOfStep, type FlowCatalog, type StepKind } from "../catalog/flow-catalog.ts";
import { defaultAnswers, recipes, type Answers, type Recipe } from "../catalog/recipes.ts";
import { elementYaml, kameletRouteYaml, kameletYaml, routeYaml, sendYaml, starterYaml } from "../catalog/starter-yaml.ts";
import { useCatalog } from "../catalog/use-catalog.ts";
import type { DocumentCommand } from "../commands/command.ts";
import { addElement } from "../commands/add-element.ts";
import { insertStepsAt } from "../commands/insert-step.ts";
import { addBranch, replaceStepWith, wrapIn } from "../commands/wrap-steps.ts";
import { Dialog } from "../controls/dialog.tsx";
import { SearchList } from "../controls/search-list.tsx";
import { stepAt, type OpenFlow } from "../document/open-flow.ts";
import { useEditor } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import { readSetting, writeSetting } from "../workspace/workspace-store.ts";
import { Button } from "../controls/button.tsx";
import { focusSelected, runOnCanvas } from "./canvas-actions.ts";
import { openPicker, useCanvasUi, type PickerRequest } from "./canvas-ui.ts";
import { templateText } from "./card-text.ts";
import { RecipeDialog } from "./recipe-dialog.tsx";
import { StepIcon } from "./step-icon.tsx";
import "./step-picker.css";

const text = strings.canvas;
const recentKey = "sluice.recentSteps";
const maxRecent = 5;

interface Choice {
  readonly key: string;
  readonly title: string;
  readonly yamlName: string;
  readonly summary: string;
  readonly kind: StepKind;
  readonly icon: string | undefined;
  readonly group: string;
  /** Synonyms for the search. */
  readonly keywords?: readonly string[];
  /** The text that is inserted. */
  readonly yaml?: string;
  /** A recipe, which may have questions. */
  readonly recipe?: Recipe;
  command(request: PickerRequest, answers?: Answers): DocumentCommand;
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
  const [group, setGroup] = useState("");
  const groups = useMemo(() => [...new Set(choices.map((choice) => choice.group))], [choices]);
  const matches = useMemo(
    () =>
      filterChoices(
        choices.filter((choice) => group === "" || choice.group === group),
        query,
      ),
    [choices, group, query],
  );
  const hasGroups = request.for !== "branch" && groups.length > 1;
  const close = (): void => {
    flushSync(() => openPicker(undefined));
    focusSelected(editor);
  };
  const [pending, setPending] = useState<Choice | undefined>(undefined);
  const insert = (choice: Choice, answers?: Answers): void => {
    close();
    storeRecentStep(choice.key);
    runOnCanvas(editor, choice.command(request, answers));
  };
  const choose = (choice: Choice): void => ((choice.recipe?.questions.length ?? 0) > 0 ? setPending(choice) : insert(choice));
  if (pending?.recipe !== undefined) return <RecipeDialog recipe={pending.recipe} onInsert={(answers) => insert(pending, answers)} onClose={close} />;
  const title = { insert: text.pickStep, wrap: text.pickWrap, replace: text.pickReplace, branch: text.pickBranch, element: text.pickElement }[request.for];
  return (
    <Dialog title={title} wide onClose={close}>
      <SearchList
        label={text.pickLabel}
        listLabel={title}
        query={query}
        onQuery={setQuery}
        items={matches}
        keyOf={({ group, key }) => `${group}-${key}`}
        onChoose={choose}
        emptyText={catalog === undefined ? text.pickWait : text.pickNone}
        {...(hasGroups && query.trim() === "" ? { headingOf: (choice: Choice) => choice.group } : {})}
        preview={(choice) => <Preview choice={choice} />}
        filters={hasGroups ? <Groups names={groups} selected={group} onChoose={setGroup} /> : null}
      >
        {(choice) => (
          <>
            <StepIcon icon={choice.icon} kind={choice.kind} />
            <span className="picker__text">
              <span className="picker__title">
                {choice.title} <span className="mono muted">{choice.yamlName}</span>
              </span>
              <span className="muted">{choice.summary}</span>
            </span>
            {query.trim() === "" ? null : <span className="search-list__aside">{choice.group}</span>}
          </>
        )}
      </SearchList>
    </Dialog>
  );
}

/** Limits the list to one group. */
function Groups({ names, selected, onChoose }: { readonly names: readonly string[]; readonly selected: string; readonly onChoose: (name: string) => void }) {
  return (
    <div className="picker__groups" role="group" aria-label={text.pickGroups}>
      {["", ...names].map((name) => (
        <Button key={name} aria-pressed={selected === name} onClick={() => onChoose(name)}>
          {name === "" ? strings.common.all : name}
        </Button>
      ))}
    </div>
  );
}

/** The purpose of the entry, and the text it inserts. */
function Preview({ choice }: { readonly choice: Choice }) {
  return (
    <>
      <p className="picker__title">{choice.title}</p>
      <p className="muted">{choice.summary}</p>
      {choice.yaml === undefined ? null : <pre className="picker__yaml">{choice.yaml}</pre>}
    </>
  );
}

function choicesFor(request: PickerRequest, catalog: FlowCatalog | undefined, flow: OpenFlow): readonly Choice[] {
  if (catalog === undefined) return [];
  if (request.for === "branch") return branchChoices(catalog, flow, request.step);
  if (request.for === "element") return elementChoices(catalog, flow);
  const steps = (request.for === "wrap" ? catalog.containers() : catalog.view.steps).map((step): Choice => {
    const yaml = starterYaml(step);
    return {
      key: step.name,
      title: step.card?.title === undefined ? step.title : templateText(step.card.title),
      yamlName: step.name,
      summary: step.summary,
      kind: kindOfStep(step.name, step),
      icon: step.icon,
      group: groupName(step.paletteGroup),
      keywords: [...(step.keywords ?? []), step.title.toLowerCase()],
      yaml,
      command: (target) => commandFor(target, step.title, yaml),
    };
  });
  if (request.for === "wrap") return steps;
  const connectors = catalog.connectorsWith("sink").map((connector): Choice => {
    const { title } = connector;
    const yaml = sendYaml(connector);
    return {
      key: `to:${connector.scheme}`,
      title,
      yamlName: connector.scheme,
      summary: connector.summary,
      kind: "endpoint",
      icon: connector.icon,
      group: groupName(connector.paletteGroup ?? "send"),
      keywords: connector.keywords ?? [],
      yaml,
      command: (target) => commandFor(target, title, yaml),
    };
  });
  // `to` is listed only as a replacement, because the connectors have better names for it.
  const withoutTo = steps.filter(({ key }) => key !== "to" || request.for === "replace");
  const kamelets = catalog.kamelets("step").map((kamelet): Choice => {
    const yaml = kameletYaml(kamelet);
    return { ...kameletChoice(kamelet), kind: "endpoint", yaml, command: (target) => commandFor(target, kamelet.title, yaml) };
  });
  const order: readonly string[] = [...Object.values(text.paletteGroups), text.groups.other];
  const sorted = [...withoutTo, ...connectors].toSorted((left, right) => order.indexOf(left.group) - order.indexOf(right.group));
  return rankChoices([...(request.for === "insert" ? recipeChoices(catalog) : []), ...sorted, ...kamelets]);
}

const kameletChoice = ({ name, title, summary }: KameletView) => ({
  key: `kamelet:${name}`,
  title,
  yamlName: name,
  // Descriptions of Kamelets may have several paragraphs.
  summary: summary.split("\n")[0] ?? "",
  icon: "puzzle",
  group: text.groups.kamelets,
});

const groupName = (group: PaletteGroup | undefined): string => (group === undefined ? text.groups.other : text.paletteGroups[group]);

function recipeChoices(catalog: FlowCatalog): readonly Choice[] {
  return recipes.map((recipe) => {
    const { title, insertAs } = recipe;
    const defaults = defaultAnswers(recipe);
    return {
      ...recipeChoice(recipe),
      recipe,
      yaml: recipe.yaml(defaults).join("\n"),
      command: (target, answers = defaults) => {
        const yamls = recipe.yaml(answers);
        const [first = ""] = yamls;
        return insertAs === "element"
          ? addElement(title, first, catalog.entity(/^\w+/.exec(first)?.[0] ?? "")?.beforeRoutes === true)
          : insertStepsAt(`${text.addStep}: ${title}`, yamls, target.for === "insert" ? target.position : () => undefined);
      },
    };
  });
}

const recipeChoice = ({ key, title, summary, icon, keywords, insertAs }: Recipe): Omit<Choice, "command"> => ({
  key: `recipe:${key}`,
  title,
  yamlName: "",
  summary,
  kind: insertAs === "element" ? "error" : "routing",
  icon,
  group: text.groups.recipes,
  keywords,
});

function commandFor(request: PickerRequest, title: string, yaml: string): DocumentCommand {
  if (request.for === "wrap") return wrapIn(`${text.pickWrap} ${title}`, yaml);
  if (request.for === "replace") return replaceStepWith(`${text.pickReplace} ${title}`, yaml);
  return insertStepsAt(`${text.addStep}: ${title}`, [yaml], request.for === "insert" ? request.position : () => undefined);
}

function branchChoices(catalog: FlowCatalog, flow: OpenFlow, path: Path): readonly Choice[] {
  const step = stepAt(flow, path);
  if (step === undefined) return [];
  return catalog
    .branches(step.name)
    .filter(({ many, option }) => many || !step.blocks.some((block) => block.name === option.name))
    .map((branch) => ({
      key: branch.option.name,
      title: text.addBranchOf(branch.option.name),
      yamlName: "",
      summary: branch.option.doc,
      kind: "routing",
      icon: "git-branch",
      group: step.name,
      command: () => addBranch(text.addBranchOf(branch.option.name), path, branch),
    }));
}

/** Routes by trigger, and the other top-level elements. */
function elementChoices(catalog: FlowCatalog, flow: OpenFlow): readonly Choice[] {
  const routes = catalog.connectorsWith("source").map((connector): Choice => {
    const title = text.pickRoute(connector.title);
    const command = (): DocumentCommand => addElement(title, routeYaml(connector, `${flow.id}-${connector.scheme}`), false);
    return {
      key: `from:${connector.scheme}`,
      title,
      yamlName: connector.scheme,
      summary: connector.summary,
      kind: "trigger",
      icon: connector.icon,
      group: text.groups.routes,
      command,
    };
  });
  const kamelets = catalog.kamelets("trigger").map((kamelet): Choice => {
    const title = text.pickRoute(kamelet.title);
    const command = (): DocumentCommand => addElement(title, kameletRouteYaml(kamelet, `${flow.id}-${kamelet.name}`), false);
    return { ...kameletChoice(kamelet), title, kind: "trigger", command };
  });
  const elements = catalog.view.entities
    .filter(({ raw }) => raw !== true)
    .map((entity): Choice => {
      const command = (): DocumentCommand => addElement(entity.title, elementYaml(entity), entity.beforeRoutes === true);
      const kind = /error|exception/i.test(entity.name) ? "error" : "other";
      return { key: entity.name, title: entity.title, yamlName: entity.name, summary: entity.summary, kind, icon: entity.icon, group: entity.group, command };
    });
  return [...routes, ...kamelets, ...elements];
}

/** Recently used entries come first. */
function rankChoices(choices: readonly Choice[]): readonly Choice[] {
  const recent = recentSteps();
  const first = recent.flatMap((key) => choices.filter((choice) => choice.key === key)).map((choice) => ({ ...choice, group: text.groups.recent }));
  return [...first, ...choices.filter((choice) => !recent.includes(choice.key))];
}

/** Ranking: the exact YAML name, names that start with the query, keywords, other names that contain it, the summary. */
function filterChoices(choices: readonly Choice[], query: string): readonly Choice[] {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return choices;
  const found = sortByMatch(choices, parts);
  if (found.length > 0 || parts.length > 1) return found;
  // A single word without results may be misspelled: search for the most similar one.
  const nearest = closest(
    parts[0] as string,
    choices.flatMap(({ title, yamlName, keywords = [] }) => [...title.toLowerCase().split(" "), yamlName.toLowerCase(), ...keywords]),
  );
  return nearest === undefined ? [] : sortByMatch(choices, [nearest]);
}

function sortByMatch(choices: readonly Choice[], parts: readonly string[]): readonly Choice[] {
  const rankOf = ({ title, yamlName, summary, keywords = [] }: Choice): number => {
    const name = `${title} ${yamlName}`.toLowerCase();
    const first = parts[0] as string;
    if (parts.every((part) => name.includes(part)))
      return yamlName.toLowerCase() === first ? 0 : name.startsWith(first) || yamlName.toLowerCase().startsWith(first) ? 1 : 3;
    if (parts.every((part) => keywords.some((keyword) => keyword === part || keyword.startsWith(part)))) return 2;
    return parts.every((part) => `${name} ${summary.toLowerCase()}`.includes(part)) ? 4 : 5;
  };
  return choices
    .map((choice) => ({ choice, rank: rankOf(choice) }))
    .filter(({ rank }) => rank < 5)
    .sort((left, right) => left.rank - right.rank)
    .map(({ choice }) => choice);
}

const recentSteps = (): readonly string[] => (readSetting(recentKey) ?? "").split(" ").filter(Boolean);

function storeRecentStep(key: string): void {
  writeSetting(recentKey, [key, ...recentSteps().filter((recent) => recent !== key)].slice(0, maxRecent).join(" "));
}
