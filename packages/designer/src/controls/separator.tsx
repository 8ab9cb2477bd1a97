import { useRef, type KeyboardEvent, type PointerEvent } from "react";

export interface SeparatorProps {
  readonly label: string;
  /** `x` between columns, `y` between rows. */
  readonly axis: "x" | "y";
  /** Which of the adjacent panels is resized. */
  readonly panel?: "before" | "after";
  readonly size: number;
  readonly min: number;
  readonly max: number;
  readonly onResize: (size: number) => void;
  /** Double-click: back to the default size. */
  readonly onReset: () => void;
}

const keyStep = 16;
const largeKeyStep = 64;

/** The border of a panel, moved by mouse or arrow keys. */
export function Separator({ label, axis, panel = "after", size, min, max, onResize, onReset }: SeparatorProps) {
  const dragStart = useRef<{ readonly at: number; readonly size: number } | undefined>(undefined);
  const resize = (next: number): void => onResize(Math.round(Math.min(max, Math.max(min, next))));
  const sign = panel === "before" ? -1 : 1;
  const coordinate = (event: PointerEvent): number => (axis === "x" ? event.clientX : event.clientY);
  const onKeyDown = (event: KeyboardEvent): void => {
    const [larger, smaller] = axis === "x" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const by = event.key === larger ? 1 : event.key === smaller ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    resize(size + sign * by * (event.shiftKey ? largeKeyStep : keyStep));
  };
  return (
    <div
      className={`separator separator--${axis}`}
      data-panel={panel}
      role="separator"
      aria-label={label}
      aria-orientation={axis === "x" ? "vertical" : "horizontal"}
      aria-valuenow={size}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onDoubleClick={onReset}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        dragStart.current = { at: coordinate(event), size };
      }}
      onPointerMove={(event) => {
        if (dragStart.current !== undefined) resize(dragStart.current.size + sign * (dragStart.current.at - coordinate(event)));
      }}
      onPointerUp={() => {
        dragStart.current = undefined;
      }}
    />
  );
}
