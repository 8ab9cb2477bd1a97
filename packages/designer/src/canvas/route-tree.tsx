// A route as a tree of cards. Layout is nested HTML; nothing is measured or placed by script. What a click, a drag or a key does
// is decided by those who listen above: cards and gaps only carry their keys.
import { memo, useId, useRef } from "react";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { pathKey, type BlockOutline, type EntityOutline, type RouteOutline, type StepOutline } from "../document/outline.ts";
import { strings } from "../strings.ts";
import { branchTitle, entityFace, stepFace, triggerFace } from "./step-face.ts";
import { useMark } from "./selected-keys.ts";
import { InViewContext, StepCard } from "./step-card.tsx";
import { areDrawnSame, chunksOf, countSteps, drawnSize, type Chunk } from "./step-chunks.ts";
import { useComesIntoView } from "./use-comes-into-view.ts";

const words = strings.canvas;

export interface TreeFacts {
  readonly catalog: FlowCatalog | undefined;
  readonly folded: ReadonlySet<string>;
  readonly faults: ReadonlyMap<string, readonly unknown[]>;
}

export interface RouteTreeProps {
  readonly route: RouteOutline | undefined;
  /** Elements of the file that are no routes, shown below the last route. */
  readonly entities: readonly EntityOutline[];
  readonly facts: TreeFacts;
}

export const RouteTree = memo(function RouteTree({ route, entities, facts }: RouteTreeProps) {
  return (
    <ul className="route" role="tree" aria-multiselectable="true" aria-label={route === undefined ? words.othersLabel : words.routeLabel(route.id)}>
      {route === undefined ? null : (
        <>
          <Trigger route={route} facts={facts} />
          <Steps steps={route.steps} listKey={pathKey(route.stepsPath)} level={1} scope={route.id} facts={facts} tail />
        </>
      )}
      {entities.length === 0 ? null : (
        <li role="none" className="strip">
          {entities.map((entity, index) => (
            <Entity key={pathKey(entity.path)} entity={entity} position={index + 1} total={entities.length} facts={facts} />
          ))}
        </li>
      )}
    </ul>
  );
});

function Trigger({ route, facts }: { readonly route: RouteOutline; readonly facts: TreeFacts }) {
  const key = pathKey(route.from.path);
  const face = triggerFace(route, facts.catalog);
  return (
    <li role="none" className="node">
      <StepCard
        id={key}
        {...face}
        label={words.triggerLabel}
        level={1}
        position={1}
        total={1}
        faults={facts.faults.get(key)?.length ?? 0}
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
  readonly facts: TreeFacts;
  readonly tail?: boolean;
}

function Steps({ steps, listKey, level, scope, facts, tail = false }: StepsProps) {
  const chunks = chunksOf(steps);
  const common = { total: steps.length, level, scope, facts };
  return (
    <>
      {chunks === undefined ? <Stretch steps={steps} start={0} {...common} /> : chunks.map((chunk) => <StepChunk key={chunk.start} {...chunk} {...common} />)}
      {steps.length === 0 && !tail ? null : <Gap listKey={listKey} index={steps.length} kind={tail ? "tail" : "end"} />}
    </>
  );
}

interface StretchProps extends Chunk {
  readonly total: number;
  readonly level: number;
  readonly scope: string;
  readonly facts: TreeFacts;
}

function Stretch({ steps, start, total, level, scope, facts }: StretchProps) {
  const keys = contentKeys(steps);
  return steps.map((step, index) => (
    <Step key={keys[index]} step={step} level={level} position={start + index + 1} total={total} scope={scope} facts={facts} />
  ));
}

/** More steps than any screen shows at the actual size. */
const drawnAtOnce = 40;

/** A stretch of a long list: left alone by the browser while it is out of view, and by React while it shows the same. */
const StepChunk = memo(
  function StepChunk(props: StretchProps) {
    const { steps, start, scope, facts } = props;
    const chunk = useRef<HTMLLIElement>(null);
    const isInView = useComesIntoView(chunk, start < drawnAtOnce);
    const { width, height } = drawnSize(steps, ({ id }) => facts.folded.has(`${scope}/${id}`));
    return (
      <li role="none" className="chunk" ref={chunk} style={{ containIntrinsicSize: `auto ${width}px auto ${height}px` }}>
        <ul role="none" className="chunk__steps">
          <InViewContext value={isInView}>
            <Stretch {...props} />
          </InViewContext>
        </ul>
      </li>
    );
  },
  (one, other) =>
    one.start === other.start &&
    one.total === other.total &&
    one.level === other.level &&
    one.scope === other.scope &&
    one.facts === other.facts &&
    areDrawnSame(one.steps, other.steps),
);

/** Keys by content: a step that moves because others came or went keeps its card. */
function contentKeys(steps: readonly StepOutline[]): readonly string[] {
  const seen = new Map<string, number>();
  return steps.map(({ name, detail, hasOwnId, id }) => {
    const key = hasOwnId ? id : `${name} ${detail}`;
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    return `${key} ${count}`;
  });
}

/** The line before a card, where steps can be inserted and dropped. For the mouse: keys have their own way. */
const line = <div className="gap" aria-hidden="true" />;

/** A place for steps that no card follows. */
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
  readonly facts: TreeFacts;
}

function Step({ step, level, position, total, scope, facts }: StepProps) {
  const group = useId();
  const key = pathKey(step.path);
  const face = stepFace(step, facts.catalog);
  const holds = step.blocks.length > 0;
  const foldId = `${scope}/${step.id}`;
  const expanded = holds ? !facts.folded.has(foldId) : undefined;
  const hidden = expanded === false ? countSteps(step.blocks) : 0;
  return (
    <li role="none" className="node">
      {line}
      <StepCard
        id={key}
        {...face}
        subtitle={hidden > 0 ? words.hidden(hidden) : face.subtitle}
        label={words.cardLabel(words.kinds[face.kind], position, total)}
        level={level}
        position={position}
        total={total}
        faults={facts.faults.get(key)?.length ?? 0}
        disabled={step.disabled}
        expanded={expanded}
        group={group}
        draggable
      />
      {expanded === true ? <Blocks owner={step} id={group} level={level + 1} scope={scope} facts={facts} adopts={position < total} /> : null}
    </li>
  );
}

interface BlocksProps {
  readonly owner: { readonly name: string; readonly path: StepOutline["path"]; readonly blocks: readonly BlockOutline[] };
  readonly id: string;
  readonly level: number;
  readonly scope: string;
  readonly facts: TreeFacts;
  readonly adopts: boolean;
}

function Blocks({ owner, id, level, scope, facts, adopts }: BlocksProps) {
  const branches = owner.blocks.filter((block) => block.name !== "");
  const canBranch = (facts.catalog?.branches(owner.name) ?? []).some(({ many, option }) => many || !branches.some((block) => block.name === option.name));
  const adoptsHere = adopts && facts.catalog?.step(owner.name)?.adoptsSiblings === true;
  return (
    <div className="blocks" role="group" id={id}>
      {owner.blocks.map((block) => {
        const empty = block.name === "" && adoptsHere ? words.adopts : words.addFirst;
        return (
          <div className="block" role="none" key={pathKey(block.path)} data-disabled={block.disabled || undefined}>
            {block.name === "" ? null : <Branch block={block} level={level} position={branches.indexOf(block) + 1} total={branches.length} facts={facts} />}
            {block.steps.length === 0 ? <Gap listKey={pathKey(block.stepsPath)} index={0} kind="empty" text={empty} /> : null}
            <ul role="none" className="block__steps">
              <Steps steps={block.steps} listKey={pathKey(block.stepsPath)} level={block.name === "" ? level : level + 1} scope={scope} facts={facts} />
            </ul>
          </div>
        );
      })}
      {canBranch ? (
        <div className="add-branch" aria-hidden="true" data-branch-of={pathKey(owner.path)} title={words.addBranch}>
          +
        </div>
      ) : null}
    </div>
  );
}

interface BranchProps {
  readonly block: BlockOutline;
  readonly level: number;
  readonly position: number;
  readonly total: number;
  readonly facts: TreeFacts;
}

/** The head of a branch: selecting it shows its condition. */
function Branch({ block, level, position, total, facts }: BranchProps) {
  const key = pathKey(block.path);
  const title = branchTitle(block);
  const faults = facts.faults.get(key)?.length ?? 0;
  const { isSelected, isTabStop } = useMark(key);
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
      data-fault={faults > 0 || undefined}
      title={title}
    >
      <b>{block.name}</b> {block.detail}
      <span className="visually-hidden">
        {[words.branchLabel(position, total), ...(block.disabled ? [words.disabled] : []), ...(faults > 0 ? [words.problems(faults)] : [])].join("")}
      </span>
    </div>
  );
}

function Entity({
  entity,
  position,
  total,
  facts,
}: {
  readonly entity: EntityOutline;
  readonly position: number;
  readonly total: number;
  readonly facts: TreeFacts;
}) {
  const group = useId();
  const key = pathKey(entity.path);
  const face = entityFace(entity, facts.catalog);
  const foldId = `element/${key}`;
  const expanded = entity.blocks.length > 0 ? !facts.folded.has(foldId) : undefined;
  return (
    <div className="node" role="none">
      <StepCard
        id={key}
        {...face}
        label={words.cardLabel(words.kinds[face.kind], position, total)}
        level={1}
        position={position}
        total={total}
        faults={facts.faults.get(key)?.length ?? 0}
        disabled={false}
        expanded={expanded}
        group={group}
        draggable={false}
      />
      {expanded === true ? <Blocks owner={entity} id={group} level={2} scope={`element/${key}`} facts={facts} adopts={false} /> : null}
    </div>
  );
}
