import { useRef, useState, type ReactNode } from "react";
import { useCatalog } from "../../catalog/use-catalog.ts";
import { Button } from "../../controls/button.tsx";
import { Field } from "../../controls/field.tsx";
import { TextAreaField } from "../../controls/text-area-field.tsx";
import type { RouteOutline } from "@sluice/model";
import { strings } from "../../strings.ts";
import { useTrial, useTrialState } from "../../trial/trial-context.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useEditor } from "../../editor/editor-context.ts";
import { sampleOfLastRun } from "../../trial/sample-of-run.ts";

const labels = strings.trial;
const methods = ["POST", "GET", "PUT", "PATCH", "DELETE"] as const;
const maxFileBytes = 1024 * 1024;

/** The sample message: typed, from a file, or the input of the last run. */
export function SampleForm({
  routes,
  route,
  children,
}: {
  readonly routes: readonly RouteOutline[];
  readonly route: RouteOutline | undefined;
  readonly children: ReactNode;
}) {
  const trial = useTrial();
  const editor = useEditor();
  const sample = useTrialState((state) => state.sample);
  const target = useWorkspace((state) => state.target);
  const picker = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const isHttpTrigger = useCatalog()?.isHttpTrigger(route?.from.uri ?? "") === true;
  const loadLastRun = (): void => {
    if (route === undefined) return;
    void sampleOfLastRun(route.id, target).then(
      ({ sample: runSample, responses, note }) => {
        trial.setResponses({ ...responses, ...typedResponses(trial.store.getState().responses) });
        trial.setSample({ ...runSample, routeId: route.id });
        setProblem(note);
      },
      (error: Error) => setProblem(error.message),
    );
  };
  const loadFile = async (file: File): Promise<void> => {
    if (file.size > maxFileBytes) return setProblem(labels.fileTooLarge(file.name));
    const bytes = new Uint8Array(await file.arrayBuffer());
    const text = asText(bytes);
    trial.setSample({ body: text ?? "", bytes: text === undefined ? bytes : undefined, origin: labels.fromFile(file.name) });
    setProblem(undefined);
  };
  return (
    <>
      <div className="try__row">
        <Field label={labels.route}>
          {(control) => (
            <select
              {...control}
              className="input input--mono"
              value={route?.id ?? ""}
              onChange={(event) => trial.setSample({ routeId: event.target.value, start: undefined })}
            >
              {routes.map(({ id }) => (
                <option key={id}>{id}</option>
              ))}
            </select>
          )}
        </Field>
        {isHttpTrigger ? (
          <Field label={strings.tryIt.method}>
            {(control) => (
              <select {...control} className="input" value={sample.method} onChange={(event) => trial.setSample({ method: event.target.value })}>
                {methods.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
        ) : (
          <Field label={labels.bodyKind}>
            {(control) => (
              <select
                {...control}
                className="input"
                value={sample.bodyKind}
                onChange={(event) => trial.setSample({ bodyKind: event.target.value === "json" ? "json" : "text" })}
              >
                <option value="text">{labels.bodyKinds.text}</option>
                <option value="json">{labels.bodyKinds.json}</option>
              </select>
            )}
          </Field>
        )}
      </div>
      {sample.start === undefined ? null : (
        <p className="try__start">
          {labels.startsAt(sample.start.stepId)}
          <Button onClick={() => trial.setSample({ start: undefined })}>{labels.startAtTrigger}</Button>
        </p>
      )}
      {children}
      <TextAreaField
        label={strings.tryIt.body}
        hint={sample.bytes === undefined ? sample.origin || undefined : labels.bytes(sample.bytes.length)}
        rows={4}
        value={sample.body}
        onChange={(text) => trial.setSample({ body: text, bytes: undefined })}
      />
      <TextAreaField label={strings.tryIt.headers} rows={2} value={sample.headers} onChange={(text) => trial.setSample({ headers: text })} />
      <div className="try__buttons">
        <Button variant="quiet" onClick={() => picker.current?.click()}>
          {labels.file}
        </Button>
        <input
          ref={picker}
          type="file"
          hidden
          aria-label={labels.file}
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file !== undefined) void loadFile(file);
            event.target.value = "";
          }}
        />
        <Button variant="quiet" onClick={loadLastRun} disabled={editor.flow.lastValid === undefined}>
          {labels.lastRun}
        </Button>
      </div>
      {problem === undefined ? null : <p className="muted">{problem}</p>}
    </>
  );
}

function typedResponses<T extends { readonly origin: string }>(responses: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(responses).filter(([, { origin }]) => origin === "typed"));
}

function asText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
