import { useEffect, useRef, useState, type PointerEvent, type RefObject } from "react";
import type { Path } from "@sluice/model";
import { useEditorState } from "../editor/editor-context.ts";
import "./overview-map.css";

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Overview {
  readonly boxes: readonly Box[];
  readonly view: Box;
}

const size = { width: 124, height: 80 };
/** Must equal the inset in overview-map.css. */
const margin = 14;
const measureDelayMs = 150;
/** In a narrower canvas there is no free space beside the cards, so the map would cover them. */
const minCanvasWidth = 640;

/**
 * A small overview of a flow that is larger than the canvas; a click or drag moves the view. Screen reader and keyboard users use the
 * outline and the tree instead.
 */
export function OverviewMap({ pane }: { readonly pane: RefObject<HTMLDivElement | null> }) {
  const selected = useEditorState((state) => state.flow.selection);
  const overview = useOverview(pane, selected);
  const map = useRef<HTMLDivElement>(null);
  if (overview === undefined) return null;
  const move = (event: PointerEvent): void => {
    const canvas = pane.current;
    const box = map.current?.getBoundingClientRect();
    if (canvas === null || box === undefined || event.buttons === 0) return;
    canvas.scrollTo({
      left: ((event.clientX - box.left) / box.width) * canvas.scrollWidth - canvas.clientWidth / 2,
      top: ((event.clientY - box.top) / box.height) * canvas.scrollHeight - canvas.clientHeight / 2,
    });
  };
  const styleOf = ({ left, top, width, height }: Box) => ({
    left: `${left * 100}%`,
    top: `${top * 100}%`,
    width: `${width * 100}%`,
    height: `${height * 100}%`,
  });
  return (
    <div
      className="overview-map"
      ref={map}
      aria-hidden="true"
      style={size}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={move}
    >
      {overview.boxes.map((box, index) => (
        <span key={index} className="overview-map__step" style={styleOf(box)} />
      ))}
      <span className="overview-map__view" style={styleOf(overview.view)} />
    </div>
  );
}

/**
 * Undefined while everything is in view, the canvas is too narrow, or the map would cover the selected card. Measured with a delay, so that typing and
 * scrolling do not wait for it.
 */
function useOverview(pane: RefObject<HTMLDivElement | null>, selected: Path | undefined): Overview | undefined {
  const [overview, setOverview] = useState<Overview | undefined>(undefined);
  useEffect(() => {
    const canvas = pane.current;
    const content = canvas?.querySelector(".canvas__content");
    if (canvas === null || content === null || content === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const scheduleMeasure = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setOverview(measure(canvas));
      }, measureDelayMs);
    };
    const sizes = new ResizeObserver(scheduleMeasure);
    sizes.observe(canvas);
    sizes.observe(content);
    canvas.addEventListener("scroll", scheduleMeasure, { passive: true });
    return () => {
      clearTimeout(timer);
      sizes.disconnect();
      canvas.removeEventListener("scroll", scheduleMeasure);
    };
  }, [pane, selected]);
  return overview;
}

/** Measures all positions at once. A chunk is measured instead of its steps, because the browser skips steps out of view. */
function measure(canvas: HTMLElement): Overview | undefined {
  const { scrollWidth, scrollHeight, clientWidth, clientHeight, scrollLeft, scrollTop } = canvas;
  if (clientWidth < minCanvasWidth || (scrollWidth <= clientWidth + 1 && scrollHeight <= clientHeight + 1)) return undefined;
  const origin = canvas.getBoundingClientRect();
  const selectedBox = canvas.querySelector('[aria-selected="true"]')?.getBoundingClientRect();
  if (
    selectedBox !== undefined &&
    selectedBox.left < origin.left + margin + size.width &&
    selectedBox.right > origin.left &&
    selectedBox.bottom > origin.bottom - margin - size.height &&
    selectedBox.top < origin.bottom
  )
    return undefined;
  const boxes = [...canvas.querySelectorAll(".chunk, .card:not(.chunk .card)")].map((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return {
      left: (left - origin.left + scrollLeft) / scrollWidth,
      top: (top - origin.top + scrollTop) / scrollHeight,
      width: width / scrollWidth,
      height: height / scrollHeight,
    };
  });
  return {
    boxes,
    view: { left: scrollLeft / scrollWidth, top: scrollTop / scrollHeight, width: clientWidth / scrollWidth, height: clientHeight / scrollHeight },
  };
}
