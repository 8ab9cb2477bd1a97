import { useMemo } from "react";
import { pathKey, type RouteOutline } from "../document/outline.ts";
import { isBroken } from "../document/open-flow.ts";
import { problemsByStep } from "../document/problem-places.ts";
import { strings } from "../strings.ts";
import { useEditor, useEditorState } from "../screens/editor/editor-context.ts";
import { useProblems } from "../screens/editor/use-problems.ts";
import { RouteTree } from "./route-tree.tsx";
import "./canvas.css";

/** The flow as a picture: one tree per route, drawn from the newest text that could be read. */
export function CanvasPane() {
  const editor = useEditor();
  const outline = useEditorState((state) => state.flow.good?.outline);
  const selection = useEditorState((state) => state.flow.selection);
  const broken = useEditorState((state) => isBroken(state.flow));
  const problems = useProblems();
  const flow = useEditorState((state) => state.flow);
  const faults = useMemo(() => problemsByStep(flow, problems), [flow, problems]);
  if (outline === undefined || (outline.routes.length === 0 && outline.entities.length === 0)) return <p className="canvas muted">{strings.canvas.empty}</p>;
  return (
    <div className="canvas" data-broken={broken || undefined}>
      {outline.routes.map((route: RouteOutline) => (
        <RouteTree
          key={pathKey(route.path)}
          route={route}
          selected={selection === undefined ? undefined : pathKey(selection)}
          faultsOf={(path) => faults.get(pathKey(path))?.length ?? 0}
          onSelect={(path) => editor.select(path)}
        />
      ))}
      {outline.entities.length === 0 ? null : (
        <section className="canvas__others" aria-label={strings.canvas.others}>
          <h2>{strings.canvas.others}</h2>
          {outline.entities.map((entity) => (
            <p key={pathKey(entity.path)} className="mono">
              {entity.name} {entity.detail}
            </p>
          ))}
        </section>
      )}
    </div>
  );
}
