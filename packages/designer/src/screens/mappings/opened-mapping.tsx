import { FailureBanner } from "../../controls/failure-banner.tsx";
import { useCallback, type ComponentType } from "react";
import type { MappingKind } from "../../api-client/runtime-client.ts";
import { loadMapping, type SavedMapping } from "../../mappings/saved-mapping.ts";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useTitle } from "../page-context.tsx";
import { usePolled } from "../../api-client/use-polled.ts";

/** Props of a table or document editor. */
export interface MappingEditorProps {
  readonly id: string;
  readonly loaded: SavedMapping;
  readonly target: string | undefined;
}

interface OpenedMappingProps {
  readonly kind: MappingKind;
  readonly id: string;
  readonly editor: ComponentType<MappingEditorProps>;
}

/** Loads a table or document and opens its editor, or shows the error. */
export function OpenedMapping({ kind, id, editor: Editor }: OpenedMappingProps) {
  const target = useWorkspace((state) => state.target);
  useTitle(strings.pageTitle(id));
  const load = useCallback(() => loadMapping(kind, id, target), [kind, id, target]);
  const [loaded] = usePolled(target === undefined ? undefined : load, undefined);
  if (loaded === undefined) return <p className="screen muted">{strings.common.loading}</p>;
  if ("error" in loaded)
    return (
      <div className="screen">
        <FailureBanner text={loaded.error} />
      </div>
    );
  return <Editor key={target} id={id} loaded={loaded.value} target={target} />;
}
