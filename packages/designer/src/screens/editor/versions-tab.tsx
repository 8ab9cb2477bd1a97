import { useId } from "react";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { DeployedVersions } from "./deployed-versions.tsx";
import { SavedVersions } from "./saved-versions.tsx";

const text = strings.versions;

export function VersionsTab() {
  const id = useId();
  const target = useWorkspace((state) => state.target);
  return (
    <>
      {target === undefined ? null : (
        <section aria-labelledby={`${id}-deployed`}>
          <h2 id={`${id}-deployed`}>{text.deployed(target)}</h2>
          <DeployedVersions key={target} target={target} />
        </section>
      )}
      <section aria-labelledby={`${id}-saved`}>
        <h2 id={`${id}-saved`}>{text.saved}</h2>
        <SavedVersions />
      </section>
    </>
  );
}
