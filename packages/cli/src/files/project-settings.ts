import { projectKameletFolders } from "./project-kamelet-folders.ts";
import { foldersNamed, withFolders } from "./project-folders.ts";
import { projectResourceFolders } from "./project-resource-folders.ts";

interface FolderSettings {
  readonly connections: string;
  readonly kamelets: string;
  readonly resources: string;
}

/** The settings that list folders, with the project's folders of these flow files before those of the operator. */
export function withProjectFolders({ connections, kamelets, resources }: FolderSettings, flowPaths: readonly string[]): FolderSettings {
  return {
    connections: withFolders(connections, foldersNamed("connections", flowPaths)),
    kamelets: withFolders(kamelets, projectKameletFolders(flowPaths)),
    resources: withFolders(resources, projectResourceFolders(flowPaths)),
  };
}
