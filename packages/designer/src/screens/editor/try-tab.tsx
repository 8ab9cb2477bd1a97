import { useState } from "react";
import { workspaceClient, type TryReply } from "../../api-client/workspace-client.ts";
import { Button } from "../../controls/button.tsx";
import { isServed, headersOf, routeOf } from "../../trial/sample-draft.ts";
import { useTrial, useTrialState } from "../../trial/trial-context.ts";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useEditor, useEditorState } from "./editor-context.ts";
import { SampleForm } from "./sample-form.tsx";
import { TrialResult } from "./trial-result.tsx";
import "./try-tab.css";

const words = strings.tryIt;

type Answered = TryReply | { readonly error: string };

/** A sample message through the flow: here, step by step, or at the deployed flow's own address. */
export function TryTab() {
  const trial = useTrial();
  const isOn = useTrialState((state) => state.isOn);
  const sample = useTrialState((state) => state.sample);
  const routes = useEditorState((state) => state.flow.good?.outline.routes) ?? [];
  const target = useWorkspace((state) => state.target);
  const [answered, setAnswered] = useState<Answered | undefined>(undefined);
  const route = routeOf(routes, sample);
  const send = (): void => {
    if (route === undefined) return;
    void workspaceClient
      .tryWebhook({ target: target ?? null, routeId: route.id, method: sample.method, headers: headersOf(sample.headers), body: sample.body })
      .then(setAnswered, (error: Error) => setAnswered({ error: error.message }));
  };
  return (
    <div className="try">
      <form
        className="try__ask"
        onSubmit={(event) => {
          event.preventDefault();
          trial.start();
        }}
      >
        <SampleForm routes={routes} route={route}>
          <div className="try__buttons">
            <Button type="submit" look="primary">
              {strings.trial.simulate}
            </Button>
            {isOn ? <Button onClick={() => trial.stop()}>{strings.trial.off}</Button> : null}
            {route !== undefined && isServed(route.from.uri) ? <Button onClick={send}>{words.send}</Button> : null}
          </div>
        </SampleForm>
        {route !== undefined && isServed(route.from.uri) ? <NotDeployed /> : null}
        <div aria-live="polite">{answered === undefined ? null : <Reply answered={answered} />}</div>
      </form>
      <TrialResult />
    </div>
  );
}

function NotDeployed() {
  const editor = useEditor();
  const runtime = useWorkspace((state) => state.runtime);
  return runtime.reachable === true && !runtime.flows.has(editor.id) ? <p className="muted">{words.notDeployed}</p> : null;
}

function Reply({ answered }: { readonly answered: Answered }) {
  if ("error" in answered) return <p className="field__error">{answered.error}</p>;
  return (
    <div className="try__answer">
      <h2>{words.answer}</h2>
      <p>
        <span className={`chip ${answered.status < 400 ? "chip--ok" : "chip--fail"}`}>{answered.status}</span>{" "}
        <span className="muted">{words.took(answered.durationMs)}</span> <span className="mono muted">{answered.runId}</span>
      </p>
      <pre className="try__body">{answered.body}</pre>
      {answered.truncated ? <p className="muted">{words.truncated}</p> : null}
    </div>
  );
}
