import { useEffect, useLayoutEffect, useState, type RefObject } from "react";
import type { SourceField, TargetField } from "../../../mappings/mapping-fields.ts";
import { mapperStrings as labels } from "../../../strings/mapper.ts";

interface Line {
  readonly target: string;
  readonly from: number;
  readonly to: number;
  readonly kind: "link" | "loop";
  /** The text of its chip; only on the first line of a target. */
  readonly chip: string;
}

interface MappingLinesProps {
  /** The element around both trees. */
  readonly frame: RefObject<HTMLElement | null>;
  /** The lines are redrawn when the fields change. */
  readonly sources: readonly SourceField[];
  readonly targets: readonly TargetField[];
  readonly selected: string | undefined;
  readonly onChoose: (path: string) => void;
}

/** Lines from source rows to target rows. Hidden from screen readers and the keyboard: the target rows name their sources. */
export function MappingLines({ frame, sources, targets, selected, onChoose }: MappingLinesProps) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const measure = (): void => {
    if (frame.current !== null) setLines(linesIn(frame.current, targets));
  };
  useLayoutEffect(measure, [frame, sources, targets]);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const redraw = (): void => setLines(linesIn(element, targets));
    const sizes = new ResizeObserver(redraw);
    sizes.observe(element);
    // Both trees scroll independently.
    element.addEventListener("scroll", redraw, { capture: true, passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", redraw, { capture: true });
    };
  }, [frame, targets]);
  return (
    <div className="mapper__lines" aria-hidden="true" data-lines>
      <svg className="mapper__svg" width="100%" height="100%">
        {lines.map(({ target, from, to, kind }, index) => (
          <path
            key={index}
            className="mapper__line"
            data-kind={kind}
            data-selected={target === selected || undefined}
            d={curve(from, to)}
            onClick={() => onChoose(target)}
          />
        ))}
      </svg>
      {lines.map(({ target, from, to, kind, chip }, index) =>
        chip === "" ? null : (
          <button
            key={index}
            type="button"
            tabIndex={-1}
            className="mapper__chip"
            data-kind={kind}
            data-selected={target === selected || undefined}
            title={labels.chip(target, chip)}
            style={{ top: (from + 2 * to) / 3 }}
            onClick={() => onChoose(target)}
          >
            {chip}
          </button>
        ),
      )}
    </div>
  );
}

/** The width of the column of lines; must equal the width in mapper.css. */
const columnWidth = 160;

const curve = (from: number, to: number): string => `M 0 ${from} C ${columnWidth / 2} ${from}, ${columnWidth / 2} ${to}, ${columnWidth} ${to}`;

/** Reads all positions at once. The line of a row that is scrolled out of view ends at the edge of its tree. */
function linesIn(frame: HTMLElement, targets: readonly TargetField[]): readonly Line[] {
  const origin = frame.querySelector("[data-lines]")?.getBoundingClientRect();
  if (origin === undefined) return [];
  const centers = (side: string): ReadonlyMap<string, number> => {
    const list = frame.querySelector(`[data-side="${side}"]`)?.getBoundingClientRect();
    return new Map(
      [...frame.querySelectorAll<HTMLElement>(`[data-side="${side}"] [data-path]`)].map((row) => {
        const { top, height } = row.getBoundingClientRect();
        const middle = Math.min(Math.max(top + height / 2, list?.top ?? 0), list?.bottom ?? Infinity);
        return [row.dataset["path"] ?? "", middle - origin.top];
      }),
    );
  };
  const [sourceCenters, targetCenters] = [centers("source"), centers("target")];
  return targets.flatMap(({ path, sources, functions, isGroup, name }): readonly Line[] => {
    const to = targetCenters.get(path);
    const found = sources.flatMap((source) => sourceCenters.get(source) ?? []);
    if (to === undefined) return [];
    const kind = isGroup && name.endsWith("[]") ? "loop" : "link";
    return found.map((from, index) => ({ target: path, from, to, kind, chip: index > 0 ? "" : kind === "loop" ? labels.forEach : functions.join(" · ") }));
  });
}
