// A breakpoint session on the target, started by the user. Polling it also renews its lease. A page has at most one session.
import { create } from "zustand";
import type { BreakpointSession } from "@sluice/client";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { bodyText } from "../trial/message-text.ts";
import type { Breakpoint } from "./breakpoint-list.ts";

type HeldMessage = NonNullable<BreakpointSession["held"]>;

interface Watch {
  readonly flowId: string | undefined;
  readonly target: string | undefined;
  readonly session: BreakpointSession | undefined;
  /** Why the last action failed. */
  readonly problem: string | undefined;
  /** The text of the held body as the user edits it. */
  readonly draft: string;
}

const idle: Watch = { flowId: undefined, target: undefined, session: undefined, problem: undefined, draft: "" };
const pollMs = 500;

export const useWatch = create<Watch>(() => idle);

let timer: ReturnType<typeof setTimeout> | undefined;

export async function watch(flowId: string, target: string | undefined, breakpoints: readonly Breakpoint[]): Promise<void> {
  await unwatch();
  useWatch.setState({ ...idle, flowId, target });
  try {
    show(await runtimeAt(target).call("POST /breakpoints", { body: { flowId, breakpoints } }));
    poll();
  } catch (error) {
    useWatch.setState({ problem: (error as Error).message });
  }
}

/** Removes the breakpoints from the target; a held message continues unchanged. */
export async function unwatch(): Promise<void> {
  clearTimeout(timer);
  const { session, target } = useWatch.getState();
  useWatch.setState(idle);
  if (session !== undefined && session.state !== "ended")
    await runtimeAt(target)
      .call("DELETE /breakpoints/:id", { params: { id: session.sessionId } })
      // If this call fails, the session ends when its lease expires.
      .catch(() => undefined);
}

export type HeldAction = "continue" | "step" | "abort";

export async function actOnHeld(kind: HeldAction): Promise<void> {
  const { session, target, draft } = useWatch.getState();
  if (session?.held === null || session?.held === undefined) return;
  const params = { id: session.sessionId };
  try {
    if (kind === "abort") show(await runtimeAt(target).call("POST /breakpoints/:id/abort", { params }));
    else {
      const body = isChanged(session.held, draft) ? { body: editedBody(session.held, draft) } : {};
      show(await runtimeAt(target).call(`POST /breakpoints/:id/${kind}`, { params, body }));
    }
  } catch (error) {
    useWatch.setState({ problem: (error as Error).message });
  }
}

export const editHeldBody = (draft: string): void => useWatch.setState({ draft, problem: undefined });

const isChanged = ({ message }: HeldMessage, draft: string): boolean => draft !== bodyText(message.body);

/** The edited body: parsed as JSON, unless the held body is a string or null. */
function editedBody({ message }: HeldMessage, draft: string): unknown {
  return typeof message.body === "string" || message.body === null ? draft : (JSON.parse(draft) as unknown);
}

/** Names of the changed fields, for the button that continues; `body` when the whole body changed. */
export function changedFields(held: HeldMessage, draft: string): readonly string[] {
  if (!isChanged(held, draft)) return [];
  try {
    const before = typeof held.message.body === "string" ? (JSON.parse(held.message.body) as unknown) : held.message.body;
    return differences(before, JSON.parse(draft) as unknown, "");
  } catch {
    return ["body"];
  }
}

/** The reason why the draft cannot be sent. */
export function draftProblem({ message }: HeldMessage, draft: string): string | undefined {
  if (typeof message.body === "string" || message.body === null) return undefined;
  try {
    JSON.parse(draft);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function differences(before: unknown, after: unknown, path: string): readonly string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) return [path === "" ? "body" : path];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => differences(before[name], after[name], path === "" ? name : `${path}.${name}`));
}

function show(session: BreakpointSession): void {
  const previous = useWatch.getState().session?.held;
  const { held } = session;
  const isNew = held !== null && (previous?.stepId !== held.stepId || previous.since !== held.since);
  useWatch.setState({ session, problem: undefined, ...(isNew ? { draft: bodyText(held.message.body) } : {}) });
}

function poll(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const { session, target } = useWatch.getState();
    if (session === undefined || session.state === "ended") return;
    runtimeAt(target)
      .call("GET /breakpoints/:id", { params: { id: session.sessionId } })
      .then(
        (next) => useWatch.getState().session?.sessionId === next.sessionId && show(next),
        (error: Error) => useWatch.setState({ problem: error.message }),
      )
      .finally(poll);
  }, pollMs);
}
