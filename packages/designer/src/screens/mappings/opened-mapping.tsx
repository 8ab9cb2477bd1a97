import { useCallback, type ComponentType } from "react";
import type { MappingKind } from "../../api-client/runtime-client.ts";
import { loadMapping, type SavedMapping } from "../../mappings/saved-mapping.ts";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useTitle } from "../shell-context.tsx";
import { usePolled } from "../../api-client/use-polled.ts";
import { LoadedScreen } from "../loaded-screen.tsx";

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
  return <LoadedScreen loaded={loaded}>{(value) => <Editor key={target} id={id} loaded={value} target={target} />}</LoadedScreen>;
}
