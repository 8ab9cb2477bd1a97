// The result of an expression for a message, computed by the engine in the page shortly after the last keystroke.
import { useEffect, useMemo, useState } from "react";
import { pathKey, type Tree, treeAt } from "@sluice/model";
import { enclosingStep } from "../document/open-flow.ts";
import { useEditor } from "../editor/editor-context.ts";
import { useShownRun } from "../trial/shown-run.tsx";
import type { ExpressionMessage } from "../simulation/evaluate.ts";
import { bodySummary, bodyText } from "../trial/message-text.ts";
import { useTrial, useTrialState } from "../trial/trial-context.ts";
import type { ExpressionLocation } from "./expression-location.ts";
import type { FormScope } from "./form-scope.ts";

export interface LiveResult {
  /** The value on one line; undefined when there is none. */
  readonly value?: string;
  /** The formatted value, up to a maximum length. */
  readonly fullValue?: string;
  readonly type?: string;
  readonly error?: string;
  /** The run that the message comes from; undefined for the sample. */
  readonly runId?: string | undefined;
  readonly message?: ExpressionMessage;
}

// Shorter than the debounce time of the trial, whose run would delay the result: it must appear within 300 ms of the last key.
const debounceMs = 75;
const retryMs = 50;
const maxValueLength = 4_000;

export function useLiveResult(scope: FormScope, location: ExpressionLocation): LiveResult | undefined {
  const editor = useEditor();
  const trial = useTrial();
  const sample = useTrialState((state) => state.sample);
  const responses = useTrialState((state) => state.responses);
  const { run, steps } = useShownRun();
  const { language } = location;
  const value = language === undefined ? undefined : treeAt(scope.tree, [...location.mappingPath, language]);
  // As text, so that a changed position alone does not count as a change.
  const expression = useMemo(() => (value === undefined ? undefined : JSON.stringify(dataOf(value))), [value]);
  const mappingKey = pathKey(location.mappingPath);
  const source = editor.flow.text;
  const [result, setResult] = useState<LiveResult | undefined>(undefined);
  const isNeeded = language !== undefined && language !== "constant" && (location.text ?? "") !== "";
  useEffect(() => {
    if (!isNeeded || expression === undefined) return setResult(undefined);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStale = false;
    const update = async (): Promise<void> => {
      const step = enclosingStep(editor.flow, location.mappingPath);
      const recorded = step === undefined ? undefined : steps.findLast(({ path }) => path !== undefined && pathKey(path) === pathKey(step.path))?.before;
      const message = run === undefined ? undefined : recorded;
      const found = await trial.evaluate({ language, expression: JSON.parse(expression) as unknown, step: step?.span, message });
      if (isStale) return;
      if (found === "replaced") timer = setTimeout(() => void update(), retryMs);
      else if (found === undefined || found.kind === "unreached") setResult(found === undefined ? undefined : {});
      else {
        const runId = message === undefined ? undefined : run?.id;
        if (found.kind === "error") return setResult({ error: found.error, message: found.message, runId });
        setResult({ value: summary(found.value), fullValue: bodyText(found.value).slice(0, maxValueLength), type: found.type, message: found.message, runId });
      }
    };
    timer = setTimeout(() => void update(), debounceMs);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
    // `location` is derived from `expression` and `mappingKey`.
  }, [editor, trial, language, expression, mappingKey, source, sample, responses, run, steps, isNeeded]);
  return isNeeded ? result : undefined;
}

const summary = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value).slice(0, 200) : bodySummary(value));

function dataOf(tree: Tree): unknown {
  if (tree.type === "scalar") return tree.text;
  if (tree.type === "list") return tree.items.map(dataOf);
  return Object.fromEntries(tree.entries.map(({ key, value }) => [key, dataOf(value)]));
}
