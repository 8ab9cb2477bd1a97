// Reads files as they appear and writes messages to files. Names never point outside the directory.
import { resolve } from "node:path";
import { CompileError, defineConnector, type Connector, type ConnectorDeclaration, type Endpoint } from "@sluice/engine/spi";
import { filePoller } from "./file-poller.ts";
import { fileShape, type FileOptions } from "./file-shape.ts";
import { fileSink } from "./file-sink.ts";
import { fileSource } from "./file-source.ts";
import { FileMemory } from "./file-memory.ts";
import { hasExpressions } from "./file-name-option.ts";

export interface FileSettings {
  /** Base of relative directories; the working directory by default. */
  readonly root?: string;
}

export function fileConnector(settings: FileSettings = {}): ConnectorDeclaration {
  return defineConnector({
    ...fileShape,
    connect: (host): Connector<FileOptions> => {
      const memory = new FileMemory();
      const directoryOf = (endpoint: Endpoint<FileOptions>): string => {
        rejectUntrustedExpressions(endpoint);
        return directory(endpoint, settings.root ?? ".");
      };
      return {
        source: (endpoint, scope) => fileSource(endpoint, directoryOf(endpoint), memory, { host, scope }),
        sink: (endpoint, scope) => fileSink(endpoint, directoryOf(endpoint), { host, scope }),
        poller: (endpoint, scope) => filePoller(endpoint, directoryOf(endpoint), memory, { host, scope }),
      };
    },
  });
}

const templates = ["fileName", "tempFileName", "tempPrefix", "moveExisting", "doneFileName", "move", "moveFailed", "preMove", "idempotentKey"] as const;

/** `toD` has already evaluated the author's expressions, so any expression left in an option came from the message. */
function rejectUntrustedExpressions({ authored, options }: Endpoint<FileOptions>): void {
  if (authored) return;
  // A message must not choose a bean of the flow.
  if (options.idempotentRepository !== undefined)
    throw new CompileError("endpoint-refused", "its option 'idempotentRepository' can be used only in an address that is written in the flow");
  for (const name of templates) {
    if (hasExpressions(options[name] ?? ""))
      throw new CompileError("endpoint-refused", `its option '${name}' contains an expression that came from the message`);
  }
}

/** The directory as a path. `..` is rejected because a part of the address may come from a message. */
function directory({ options: { directoryName, jailStartingDirectory } }: Endpoint<FileOptions>, root: string): string {
  if (!jailStartingDirectory)
    throw new CompileError("bad-option", "jailStartingDirectory cannot be switched off", { hint: "put the target directory into the endpoint" });
  if (directoryName.includes("\0") || directoryName.split(/[/\\]/).includes(".."))
    throw new CompileError("bad-option", "the directory of a file endpoint must not contain '..' or a NUL character", { hint: "use an absolute path" });
  return resolve(root, directoryName);
}
