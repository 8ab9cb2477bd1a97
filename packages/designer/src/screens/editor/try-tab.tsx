import { useState } from "react";
import type { TryReply } from "../../api-client/workspace-client.ts";
import { useCatalog } from "../../catalog/use-catalog.ts";
import { Button } from "../../controls/button.tsx";
import { routeOf } from "../../trial/sample-draft.ts";
import { useTrial, useTrialState } from "../../trial/trial-context.ts";
import { useSend } from "../../trial/use-send.ts";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";
import { ReplyView } from "./reply-view.tsx";
import { SampleForm } from "./sample-form.tsx";
import { TrialResult } from "./trial-result.tsx";
import "./try-tab.css";

const text = strings.tryIt;

type TryResponse = TryReply | { readonly error: string };

/** Runs a sample message through the flow: in the page, step by step, or by calling the deployed flow. */
export function TryTab() {
  const trial = useTrial();
  const isOn = useTrialState((state) => state.isOn);
  const sample = useTrialState((state) => state.sample);
  const routes = useEditorState((state) => state.flow.lastValid?.outline.routes) ?? [];
  const [response, setResponse] = useState<TryResponse | undefined>(undefined);
  const route = routeOf(routes, sample);
  const isHttpTrigger = useCatalog()?.isHttpTrigger(route?.from.uri ?? "") === true;
  const sendSample = useSend();
  const send = (): void => void sendSample().then(setResponse, (error: Error) => setResponse({ error: error.message }));
  return (
    <div className="try">
      <form
        className="try__form"
        onSubmit={(event) => {
          event.preventDefault();
          trial.start();
        }}
      >
        <SampleForm routes={routes} route={route}>
          <div className="try__buttons">
            <Button type="submit" variant="primary">
              {strings.trial.simulate}
            </Button>
            {isOn ? <Button onClick={() => trial.stop()}>{strings.trial.stop}</Button> : null}
            {isHttpTrigger ? (
              <Button disabled={sample.start !== undefined} onClick={send}>
                {text.send}
              </Button>
            ) : null}
          </div>
          {isHttpTrigger ? <NotDeployed /> : null}
          <div aria-live="polite">
            {response === undefined ? null : "error" in response ? <p className="field__error">{response.error}</p> : <ReplyView reply={response} />}
          </div>
        </SampleForm>
      </form>
      <TrialResult />
    </div>
  );
}

function NotDeployed() {
  const editor = useEditor();
  const runtime = useWorkspace((state) => state.runtime);
  return runtime.reachable === true && !runtime.flows.has(editor.id) ? <p className="muted">{text.notDeployed}</p> : null;
}
