// Calls the deployed flow with the sample and opens the run.
import { useLocation } from "wouter";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { workspaceClient, type TryReply } from "../api-client/workspace-client.ts";
import { useEditor, useEditorState } from "../editor/editor-context.ts";
import { isLocalTarget, useWorkspace } from "../workspace/workspace-store.ts";
import { headersOf, routeOf, type SampleDraft } from "./sample-draft.ts";
import { useSentReply } from "./sent-reply.ts";
import { useTrialState } from "./trial-context.ts";

const captureMs = 60_000;

/** Calls the route with this id, by default the route of the sample. Resolves with the reply, or undefined for a flow without a route. */
export function useSend(routeId?: string): () => Promise<TryReply | undefined> {
  const editor = useEditor();
  const [, navigate] = useLocation();
  const sample = useTrialState((state) => state.sample);
  const routes = useEditorState((state) => state.flow.lastValid?.outline.routes) ?? [];
  const target = useWorkspace((state) => state.target);
  const calledRouteId = routeId ?? routeOf(routes, sample)?.id;
  return async () => {
    if (calledRouteId === undefined) return undefined;
    const reply = await sendSample(calledRouteId, sample, target);
    useSentReply.setState({ reply });
    // The run shows the reply and the message after every step.
    if (reply.runId !== null) navigate(`/flows/${editor.id}/runs/${reply.runId}`);
    return reply;
  };
}

/** On a runtime on this machine, the messages are captured, so that the run can show them. */
async function sendSample(routeId: string, sample: SampleDraft, target: string | undefined): Promise<TryReply> {
  if (isLocalTarget(target))
    await runtimeAt(target)
      .call("POST /routes/:id/capture", { params: { id: routeId }, body: { forMs: captureMs } })
      .catch(() => undefined);
  return workspaceClient.tryWebhook({ target: target ?? null, routeId, method: sample.method, headers: headersOf(sample.headers), body: sample.body });
}
