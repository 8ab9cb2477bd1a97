// A route as a tree of cards. Layout is nested HTML; nothing is measured or positioned by script. Clicks, drags and keys are handled by listeners on
// ancestors: cards and gaps only carry their keys.
import { Fragment, memo, useId, useRef } from "react";
import { type BlockOutline, type EntityOutline, pathKey, type RouteOutline, type StepOutline, type StepView } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { strings } from "../strings.ts";
import { entityLabel, stepLabel, triggerLabel } from "./card-label.ts";
import { Addresses } from "./address-lanes.tsx";
import type { Direction } from "./canvas-ui.ts";
import { RemovedSteps } from "./removed-steps.tsx";
import { useSelectionMark } from "./selected-keys.ts";
import { InViewContext, StepCard } from "./step-card.tsx";
import { haveSameRendering, chunksOf, countSteps, estimatedSize, type Chunk } from "./step-chunks.ts";
import { useNearViewport } from "./use-near-viewport.ts";

const labels = strings.canvas;

export interface TreeDetails {
  readonly catalog: FlowCatalog | undefined;
  readonly collapsed: ReadonlySet<string>;
  readonly problems: ReadonlyMap<string, readonly unknown[]>;
  readonly direction: Direction;
}

export interface RouteTreeProps {
  readonly route: RouteOutline | undefined;
  /** Top-level elements other than routes, shown below the last route. */
  readonly entities: readonly EntityOutline[];
  readonly details: TreeDetails;
}

export const RouteTree = memo(function RouteTree({ route, entities, details }: RouteTreeProps) {
  return (
    <ul
      className="route"
      role="tree"
      aria-multiselectable="true"
      aria-orientation={details.direction === "right" ? "horizontal" : "vertical"}
      aria-label={route === undefined ? labels.othersLabel : labels.routeLabel(route.id)}
    >
      {route === undefined ? null : (
        <>
          <Trigger route={route} details={details} />
          <Steps steps={route.steps} listKey={pathKey(route.stepsPath)} level={1} scope={route.id} details={details} tail />
        </>
      )}
      {entities.length === 0 ? null : (
        <li role="none" className="strip">
          {entities.map((entity, index) => (
            <Entity key={pathKey(entity.path)} entity={entity} position={index + 1} total={entities.length} details={details} />
          ))}
        </li>
      )}
    </ul>
  );
});

function Trigger({ route, details }: { readonly route: RouteOutline; readonly details: TreeDetails }) {
  const key = pathKey(route.from.path);
  const content = triggerLabel(route, details.catalog);
  return (
    <li role="none" className="node">
      <StepCard
        id={key}
        {...content}
        label={labels.triggerLabel}
        level={1}
        position={1}
        total={1}
        problems={details.problems.get(key)?.length ?? 0}
        disabled={false}
        expanded={undefined}
        group={undefined}
        draggable={false}
      />
    </li>
  );
}

interface StepsProps {
  readonly steps: readonly StepOutline[];
  readonly listKey: string;
  readonly level: number;
  readonly scope: string;
  readonly details: TreeDetails;
  readonly tail?: boolean;
}

function Steps({ steps, listKey, level, scope, details, tail = false }: StepsProps) {
  const chunks = chunksOf(steps);
  const common = { total: steps.length, level, scope, details };
  return (
    <>
      {chunks === undefined ? (
        <StepSequence steps={steps} start={0} {...common} />
      ) : (
        chunks.map((chunk) => <StepChunk key={chunk.start} {...chunk} {...common} />)
      )}
      <RemovedSteps listKey={listKey} index={steps.length} />
      {steps.length === 0 && !tail ? null : <Gap listKey={listKey} index={steps.length} kind={tail ? "tail" : "end"} />}
    </>
  );
}

interface StepSequenceProps extends Chunk {
  readonly total: number;
  readonly level: number;
  readonly scope: string;
  readonly details: TreeDetails;
}

function StepSequence({ steps, start, total, level, scope, details }: StepSequenceProps) {
  const keys = contentKeys(steps);
  return steps.map((step, index) => (
    <Fragment key={keys[index]}>
      <RemovedSteps listKey={pathKey(step.listPath)} index={step.index} />
      <Step step={step} level={level} position={start + index + 1} total={total} scope={scope} details={details} />
    </Fragment>
  ));
}

/** The number of steps that are rendered immediately: more than a screen shows at 100%. */
const immediateSteps = 40;

/** A chunk of a long list: skipped by the browser while out of view, and by React while unchanged. */
const StepChunk = memo(
  function StepChunk(props: StepSequenceProps) {
    const { steps, start, scope, details } = props;
    const chunk = useRef<HTMLLIElement>(null);
    const isInView = useNearViewport(chunk, start < immediateSteps);
    const { width, height } = estimatedSize(steps, details.direction, ({ id }) => details.collapsed.has(`${scope}/${id}`));
    return (
      <li role="none" className="chunk" ref={chunk} style={{ containIntrinsicSize: `auto ${width}px auto ${height}px` }}>
        <ul role="none" className="chunk__steps">
          <InViewContext value={isInView}>
            <StepSequence {...props} />
          </InViewContext>
        </ul>
      </li>
    );
  },
  (before, after) =>
    before.start === after.start &&
    before.total === after.total &&
    before.level === after.level &&
    before.scope === after.scope &&
    before.details === after.details &&
    haveSameRendering(before.steps, after.steps),
);

/** Keys by content: a step that moves because others were added or removed keeps its card. */
function contentKeys(steps: readonly StepOutline[]): readonly string[] {
  const counts = new Map<string, number>();
  return steps.map(({ name, detail, hasOwnId, id }) => {
    const key = hasOwnId ? id : `${name} ${detail}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return `${key} ${count}`;
  });
}

/** The gap before a card, where steps can be inserted or dropped with the mouse; the keyboard has its own shortcuts. */
const leadingGap = <div className="gap" aria-hidden="true" />;

/** A drop target at the end of a list. */
const Gap = memo(function Gap({
  listKey,
  index,
  kind,
  text,
}: {
  readonly listKey: string;
  readonly index: number;
  readonly kind: "end" | "tail" | "empty";
  readonly text?: string;
}) {
  return (
    <div className={`gap gap--${kind}`} aria-hidden="true" data-list={listKey} data-index={index}>
      {text}
    </div>
  );
});

interface StepProps {
  readonly step: StepOutline;
  readonly level: number;
  readonly position: number;
  readonly total: number;
  readonly scope: string;
  readonly details: TreeDetails;
}

function Step({ step, level, position, total, scope, details }: StepProps) {
  const group = useId();
  const key = pathKey(step.path);
  const content = stepLabel(step, details.catalog);
  const hasBlocks = step.blocks.length > 0;
  const collapsibleId = `${scope}/${step.id}`;
  const expanded = hasBlocks ? !details.collapsed.has(collapsibleId) : undefined;
  const hidden = expanded === false ? countSteps(step.blocks) : 0;
  return (
    <li role="none" className="node" data-frame={expanded === true || details.catalog?.step(step.name)?.lanes === "addresses" || undefined}>
      {leadingGap}
      <StepCard
        id={key}
        {...content}
        subtitle={hidden > 0 ? labels.hidden(hidden) : content.subtitle}
        label={labels.cardLabel(labels.kinds[content.kind], position, total)}
        level={level}
        position={position}
        total={total}
        problems={details.problems.get(key)?.length ?? 0}
        disabled={step.disabled}
        expanded={expanded}
        group={group}
        draggable
      />
      {expanded === true ? <Blocks owner={step} id={group} level={level + 1} scope={scope} details={details} adopts={position < total} /> : null}
      {details.catalog?.step(step.name)?.lanes === "addresses" ? <Addresses step={step} /> : null}
    </li>
  );
}

interface BlocksProps {
  readonly owner: Pick<StepOutline, "name" | "path" | "blocks"> & { readonly isParallel?: boolean };
  readonly id: string;
  readonly level: number;
  readonly scope: string;
  readonly details: TreeDetails;
  readonly adopts: boolean;
}

function Blocks({ owner, id, level, scope, details, adopts }: BlocksProps) {
  const branches = owner.blocks.filter((block) => block.name !== "");
  const canBranch = (details.catalog?.branches(owner.name) ?? []).some(({ many, option }) => many || !branches.some((block) => block.name === option.name));
  const view = details.catalog?.step(owner.name);
  const adoptsHere = adopts && view?.adoptsSiblings === true;
  const common = { level, scope, details };
  const hasLanes = (view?.lanes === "all" || view?.lanes === "one") && owner.blocks.some(({ name, steps }) => name === "" && steps.length > 0);
  return (
    <div className="blocks" role="group" id={id} data-lanes={hasLanes ? view.lanes : undefined}>
      {owner.blocks.flatMap((block) => {
        if (block.name === "" && hasLanes) return [<Lanes key={pathKey(block.path)} block={block} {...common} />];
        const clauses = block.name === "" ? clausesIn(block, view) : 0;
        const steps = clauses === 0 ? block.steps : block.steps.slice(0, -clauses);
        const empty = block.name === "" && adoptsHere ? labels.adopts : labels.addFirst;
        return [
          <div className="block" role="none" key={pathKey(block.path)} data-disabled={block.disabled || undefined}>
            {block.name === "" ? (
              <BlockLabel title={view?.stepsTitle} isParallel={owner.isParallel === true} />
            ) : (
              <Branch
                block={block}
                name={titleOf(details.catalog, owner.name, block.name)}
                level={level}
                position={branches.indexOf(block) + 1}
                total={branches.length}
                details={details}
              />
            )}
            {steps.length === 0 ? <Gap listKey={pathKey(block.stepsPath)} index={0} kind="empty" text={empty} /> : null}
            <ul role="none" className="block__steps">
              <Steps steps={steps} listKey={pathKey(block.stepsPath)} {...common} level={block.name === "" ? level : level + 1} />
            </ul>
          </div>,
          ...block.steps.slice(steps.length).map((clause, index) => (
            <div className="block" role="none" key={pathKey(clause.path)}>
              <BlockLabel title={titleOf(details.catalog, owner.name, clause.name)} isParallel={false} />
              <ul role="none" className="block__steps">
                <StepSequence steps={[clause]} start={steps.length + index} total={block.steps.length} {...common} />
              </ul>
            </div>
          )),
        ];
      })}
      {canBranch ? (
        <div className="add-branch" aria-hidden="true" data-branch-of={pathKey(owner.path)} title={labels.addBranch}>
          +
        </div>
      ) : null}
    </div>
  );
}

/** The number of steps at the end of a block that are clauses of the enclosing step; Camel's documentation lists them after the inner steps. */
function clausesIn({ steps }: BlockOutline, view: StepView | undefined): number {
  const names = view?.clausesInSteps ?? [];
  const last = steps.findLastIndex(({ name }) => !names.includes(name));
  return steps.length - 1 - last;
}

const titleOf = (catalog: FlowCatalog | undefined, owner: string, name: string): string =>
  catalog?.branches(owner).find(({ option }) => option.name === name)?.option.title ?? name;

/** The name of a block that cannot be selected itself. */
function BlockLabel({ title, isParallel }: { readonly title: string | undefined; readonly isParallel: boolean }) {
  if (title === undefined && !isParallel) return null;
  return (
    <div className="block__label" aria-hidden="true">
      <b>{title ?? labels.steps}</b> {isParallel ? labels.inParallel : ""}
    </div>
  );
}

/** Each step of the block is a separate branch, drawn next to the others. */
function Lanes({ block, level, scope, details }: { readonly block: BlockOutline } & Pick<BlocksProps, "level" | "scope" | "details">) {
  const { steps, stepsPath } = block;
  return (
    <>
      {steps.map((step, index) => (
        <div className="lane" role="none" key={pathKey(step.path)}>
          <div className="block__label" aria-hidden="true">
            {labels.lane(index + 1, steps.length)}
          </div>
          <ul role="none" className="lane__steps">
            <StepSequence steps={[step]} start={index} total={steps.length} level={level} scope={scope} details={details} />
          </ul>
        </div>
      ))}
      <div className="add-branch" aria-hidden="true" data-list={pathKey(stepsPath)} data-index={steps.length} title={labels.addLane}>
        +
      </div>
    </>
  );
}

interface BranchProps {
  readonly block: BlockOutline;
  readonly name: string;
  readonly level: number;
  readonly position: number;
  readonly total: number;
  readonly details: TreeDetails;
}

/** The header of a branch: selecting it shows its condition. */
function Branch({ block, name, level, position, total, details }: BranchProps) {
  const key = pathKey(block.path);
  const title = block.detail === "" ? name : `${name} ${block.detail}`;
  const problems = details.problems.get(key)?.length ?? 0;
  const { isSelected, isTabStop } = useSelectionMark(key);
  return (
    <div
      role="treeitem"
      className="branch"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={total}
      aria-selected={isSelected}
      tabIndex={isTabStop ? 0 : -1}
      data-key={key}
      data-problem={problems > 0 || undefined}
      title={title}
    >
      <b>{name}</b> {block.detail}
      <span className="visually-hidden">
        {[labels.branchLabel(position, total), ...(block.disabled ? [labels.disabled] : []), ...(problems > 0 ? [labels.problems(problems)] : [])].join(", ")}
      </span>
    </div>
  );
}

function Entity({
  entity,
  position,
  total,
  details,
}: {
  readonly entity: EntityOutline;
  readonly position: number;
  readonly total: number;
  readonly details: TreeDetails;
}) {
  const group = useId();
  const key = pathKey(entity.path);
  const content = entityLabel(entity, details.catalog);
  const collapsibleId = `element/${key}`;
  const expanded = entity.blocks.length > 0 ? !details.collapsed.has(collapsibleId) : undefined;
  return (
    <div className="node" role="none" data-frame={expanded || undefined}>
      <StepCard
        id={key}
        {...content}
        label={labels.cardLabel(labels.kinds[content.kind], position, total)}
        level={1}
        position={position}
        total={total}
        problems={details.problems.get(key)?.length ?? 0}
        disabled={false}
        expanded={expanded}
        group={group}
        draggable={false}
      />
      {expanded === true ? <Blocks owner={entity} id={group} level={2} scope={`element/${key}`} details={details} adopts={false} /> : null}
    </div>
  );
}
