// Long lists of steps are rendered in chunks, which the browser skips while they are out of view. A chunk must therefore estimate its size and
// detect when its content is unchanged.
import type { BlockOutline, StepOutline } from "@sluice/model";
import type { Direction } from "./canvas-ui.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Chunk {
  /** Index of the first step in its list. */
  readonly start: number;
  readonly steps: readonly StepOutline[];
}

const stepsPerChunk = 10;
/** Shorter lists are rendered whole. */
const minChunkedSteps = 24;

/** Splits a list into chunks with about equal numbers of steps; undefined when it is too short. */
export function chunksOf(steps: readonly StepOutline[]): readonly Chunk[] | undefined {
  if (steps.length < minChunkedSteps) return undefined;
  const chunks: { start: number; steps: StepOutline[] }[] = [];
  let weight = stepsPerChunk;
  steps.forEach((step, index) => {
    if (weight >= stepsPerChunk) {
      chunks.push({ start: index, steps: [] });
      weight = 0;
    }
    chunks.at(-1)?.steps.push(step);
    weight += 1 + countSteps(step.blocks);
  });
  return chunks;
}

export function countSteps(blocks: readonly BlockOutline[]): number {
  return blocks.reduce((sum, block) => sum + block.steps.reduce((inner, step) => inner + 1 + countSteps(step.blocks), 0), 0);
}

/** True when both lists render identically; positions in the text are not visible. */
export function haveSameRendering(left: readonly StepOutline[], right: readonly StepOutline[]): boolean {
  return left === right || (left.length === right.length && left.every((step, index) => hasSameRendering(step, right[index] as StepOutline)));
}

function hasSameRendering(left: StepOutline, right: StepOutline): boolean {
  return (
    left === right ||
    (left.name === right.name &&
      // A generated id is not visible, but the collapsed state is stored under it.
      (left.id === right.id || (!left.hasOwnId && left.blocks.length === 0)) &&
      left.hasOwnId === right.hasOwnId &&
      left.description === right.description &&
      left.detail === right.detail &&
      haveSameOptions(left.options, right.options) &&
      left.disabled === right.disabled &&
      left.isParallel === right.isParallel &&
      isSamePath(left.path, right.path) &&
      left.blocks.length === right.blocks.length &&
      left.blocks.every((block, index) => isSameBlock(block, right.blocks[index] as BlockOutline)))
  );
}

function haveSameOptions(left: StepOutline["options"], right: StepOutline["options"]): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}

const isSameBlock = (left: BlockOutline, right: BlockOutline): boolean =>
  left.label === right.label && left.disabled === right.disabled && isSamePath(left.path, right.path) && haveSameRendering(left.steps, right.steps);

const isSamePath = (left: StepOutline["path"], right: StepOutline["path"]): boolean =>
  left === right || (left.length === right.length && left.every((part, index) => part === right[index]));

// Dimensions from canvas.css.
const card: Size = { width: 272, height: 60 };
const innerCard = 216;
const frameHeader = 46;
const gap = 26;
const emptyBlock = 48;
const branchHeader = 24;
const frame = { block: 8 + 8 + 14 + 8 + 1, sides: 2 * (6 + 1), blockSides: 2 * 8, addBranch: 24 };
/** Left to right: the width of a branch's label, and the space that blocks and frames add around their steps. */
const rightFrame = { label: 120, blockSides: 2 * 8, sides: 2 * 8 + 8 + 14 + 2, ends: 2 * 8 + 1 };

type IsCollapsed = (step: StepOutline) => boolean;

/** The estimated size of consecutive steps. The browser uses their real size once they have been rendered. */
export function estimatedSize(steps: readonly StepOutline[], direction: Direction, isCollapsed: IsCollapsed): Size {
  return direction === "down" ? sizeDown(steps, isCollapsed, card.width) : sizeRight(steps, isCollapsed);
}

function sizeDown(steps: readonly StepOutline[], isCollapsed: IsCollapsed, cardWidth: number): Size {
  const size = { width: cardWidth, height: 0 };
  for (const step of steps) {
    const hasVisibleBlocks = step.blocks.length > 0 && !isCollapsed(step);
    size.height += gap + (hasVisibleBlocks ? frameHeader : card.height);
    if (!hasVisibleBlocks) continue;
    const blocks = step.blocks.map((block) => blockDown(block, isCollapsed));
    const addBranchWidth = step.blocks.some(({ name }) => name !== "") ? frame.addBranch : 0;
    size.width = Math.max(size.width, blocks.reduce((sum, { width }) => sum + width + frame.blockSides, 0) + frame.sides + addBranchWidth);
    size.height += Math.max(...blocks.map(({ height }) => height)) + frame.block;
  }
  return size;
}

function blockDown({ name, steps }: BlockOutline, isCollapsed: IsCollapsed): Size {
  const label = name === "" ? 0 : branchHeader;
  if (steps.length === 0) return { width: innerCard, height: label + emptyBlock };
  const { width, height } = sizeDown(steps, isCollapsed, innerCard);
  return { width, height: label + height + 6 };
}

function sizeRight(steps: readonly StepOutline[], isCollapsed: IsCollapsed): Size {
  const size = { width: 0, height: card.height };
  for (const step of steps) {
    const hasVisibleBlocks = step.blocks.length > 0 && !isCollapsed(step);
    size.width += gap;
    if (!hasVisibleBlocks) {
      size.width += innerCard;
      continue;
    }
    const blocks = step.blocks.map((block) => blockRight(block, isCollapsed));
    size.width += Math.max(...blocks.map(({ width }) => width)) + rightFrame.sides;
    size.height = Math.max(size.height, blocks.reduce((sum, { height }) => sum + height + rightFrame.blockSides, 0) + frameHeader + rightFrame.ends);
  }
  return size;
}

function blockRight({ name, steps }: BlockOutline, isCollapsed: IsCollapsed): Size {
  const label = name === "" ? 0 : rightFrame.label;
  if (steps.length === 0) return { width: label + innerCard, height: card.height };
  const { width, height } = sizeRight(steps, isCollapsed);
  return { width: label + width, height };
}
