// Files of one directory: read as they appear, written as messages come. No name leads out of the directory.
import { resolve } from "node:path";
import { CompileError, defineConnector, type Connector, type ConnectorDeclaration, type Endpoint } from "@sluice/engine/spi";
import { filePoller } from "./file-poller.ts";
import { fileShape, type FileOptions } from "./file-shape.ts";
import { fileSink } from "./file-sink.ts";
import { fileSource } from "./file-source.ts";
import { FileMemory } from "./file-memory.ts";

export interface FileSettings {
  /** Relative directories are below this one; the working directory unless given. */
  readonly root?: string;
}

export function fileConnector(settings: FileSettings = {}): ConnectorDeclaration {
  return defineConnector({
    ...fileShape,
    connect: (host): Connector<FileOptions> => {
      const memory = new FileMemory();
      const directoryOf = (endpoint: Endpoint<FileOptions>): string => directory(endpoint, settings.root ?? ".");
      return {
        source: (endpoint) => fileSource(endpoint, directoryOf(endpoint), memory, host),
        sink: (endpoint) => fileSink(endpoint, directoryOf(endpoint), host),
        poller: (endpoint) => filePoller(endpoint, directoryOf(endpoint), memory, host),
      };
    },
  });
}

/** The directory as a path. `..` is refused because a part of the address may have come from a message. */
function directory({ options: { directoryName, jailStartingDirectory } }: Endpoint<FileOptions>, root: string): string {
  if (!jailStartingDirectory)
    throw new CompileError("bad-option", "jailStartingDirectory cannot be switched off", { hint: "name the directory the files go to in the endpoint" });
  if (directoryName.includes("\0") || directoryName.split(/[/\\]/).includes(".."))
    throw new CompileError("bad-option", "the directory of a file endpoint may not hold '..'", { hint: "write the whole path, beginning with a slash" });
  return resolve(root, directoryName);
}
