import { Link } from "wouter";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";

const labels = strings.runtimeStatus;

/** Shows whether the selected runtime can be used and, if not, what to do. The line is always present, so that nothing moves when its text changes. */
export function RuntimeStatus() {
  const { runtime, target, targets, loadRuntime } = useWorkspace();
  const entry = targets.find(({ name }) => name === target);
  if (entry === undefined) return <footer className="runtime-status" />;
  const { name, baseUrl, tokenEnv } = entry;
  const isLost = runtime.reachable === false;
  const text =
    runtime.reachable === undefined
      ? labels.connecting(name)
      : !isLost
        ? labels.connected(name)
        : runtime.cause === "token"
          ? labels.tokenRejected(name, tokenEnv)
          : runtime.cause === "down"
            ? labels.down(name, baseUrl)
            : labels.failed(name, runtime.error ?? "");
  return (
    <footer className="runtime-status" data-state={isLost ? "lost" : runtime.reachable === true ? "connected" : undefined}>
      <span className="chip__dot" aria-hidden="true" />
      <span aria-live="polite" className="runtime-status__text">
        {text}
      </span>
      {isLost ? (
        <>
          <button type="button" className="link" onClick={() => void loadRuntime()}>
            {labels.reconnect}
          </button>
          <Link href="/settings">{strings.settings.targets}</Link>
        </>
      ) : null}
    </footer>
  );
}
