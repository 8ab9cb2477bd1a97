import { Link } from "wouter";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";

const words = strings.runtimeStatus;

/** Whether the selected runtime can be used, and how to fix it if not. The line is always present, so that nothing moves when its text changes. */
export function RuntimeStatus() {
  const { runtime, target, targets, loadRuntime } = useWorkspace();
  const entry = targets.find(({ name }) => name === target);
  if (entry === undefined) return <footer className="runtime-status" />;
  const { name, baseUrl, tokenEnv } = entry;
  const isLost = runtime.reachable === false;
  const text =
    runtime.reachable === undefined
      ? words.connecting(name)
      : !isLost
        ? words.connected(name)
        : runtime.cause === "token"
          ? words.tokenRejected(name, tokenEnv)
          : runtime.cause === "down"
            ? words.down(name, baseUrl)
            : words.failed(name, runtime.error ?? "");
  return (
    <footer className="runtime-status" data-state={isLost ? "lost" : runtime.reachable === true ? "connected" : undefined}>
      <span className="chip__dot" aria-hidden="true" />
      <span aria-live="polite" className="runtime-status__text">
        {text}
      </span>
      {isLost ? (
        <>
          <button type="button" className="link" onClick={() => void loadRuntime()}>
            {words.reconnect}
          </button>
          <Link href="/settings">{strings.settings.targets}</Link>
        </>
      ) : null}
    </footer>
  );
}
