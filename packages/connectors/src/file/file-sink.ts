// Writes a message to a file. The file appears under its name atomically, when it is complete.
import { constants } from "node:fs";
import { link, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { CompileError, isFlowError, type Endpoint, type Exchange, type Sink } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { createFolder } from "../create-folder.ts";
import { encodingOf, writeBody } from "./file-body.ts";
import type { FileOptions } from "./file-shape.ts";
import { fileError, hasCode, pathWithin, prepareParent } from "./file-path.ts";
import type { FileParts } from "./file-work.ts";
import { fileNameOption, hasExpressions, type FileNameOption } from "./file-name-option.ts";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

export function fileSink({ options }: Endpoint<FileOptions>, directory: string, { host, scope }: FileParts): Sink {
  const { fileExist, moveExisting, tempFileName, tempPrefix, doneFileName } = options;
  if (fileExist === "Move" && moveExisting === undefined)
    throw new CompileError("bad-option", "fileExist=Move needs moveExisting", { hint: "add moveExisting=old/${file:name}" });
  const template = (option: string, text: string | undefined): FileNameOption | undefined =>
    text === undefined ? undefined : fileNameOption(option, text, scope);
  const fileName = template("fileName", options.fileName);
  const movedName = template(
    "moveExisting",
    moveExisting === undefined || hasExpressions(moveExisting) ? moveExisting : posix.join(moveExisting, "${file:onlyname}"),
  );
  const temporaryName = template("tempFileName", tempFileName ?? (tempPrefix === undefined ? undefined : `${tempPrefix}\${file:onlyname}`));
  const doneName = template("doneFileName", doneFileName);
  const writing = {
    encoding: encodingOf(options.charset),
    appendChars: unescapeText(options.appendChars),
    sync: options.forceWrites,
    mode: modeOf(options.chmod),
  };

  const nameOf = (exchange: Exchange): string => {
    const { headers } = exchange.message;
    const overrule = headers.getOwn("CamelOverruleFileName");
    if (overrule !== undefined) headers.delete("CamelOverruleFileName");
    const requestedName =
      overrule ?? (fileName === undefined ? headers.getOwn("CamelFileName") : fileName({ name: asText(headers.getOwn("CamelFileName")), exchange }));
    const name = requestedName === undefined || requestedName === null || requestedName === "" ? exchange.id : asText(requestedName);
    return options.flatten ? name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1) : name;
  };

  const write = async (exchange: Exchange): Promise<void> => {
    const { message } = exchange;
    const name = nameOf(exchange);
    const path = pathWithin(directory, name);
    if ((message.body === null || message.body === undefined) && !options.allowNullBody)
      throw fileError(`an empty message cannot be written to '${basename(path)}'; set allowNullBody=true to write an empty file`, "file-no-body");
    if (options.autoCreate) await createFolder(directory);
    await prepareParent(directory, path, options.autoCreate);
    const written = fileExist === "Append" ? await append(path, message.body) : await replace(path, name, exchange);
    if (!written) return;
    const modified = options.keepLastModified ? Number(message.headers.get("CamelFileLastModified")) : Number.NaN;
    if (!Number.isNaN(modified)) await utimes(path, modified / 1000, modified / 1000);
    if (doneName !== undefined)
      await writeBody(pathWithin(dirname(path), doneName({ name: basename(path), exchange })), O_WRONLY | O_CREAT | O_NOFOLLOW, "", {
        ...writing,
        appendChars: undefined,
      });
    message.headers.set("CamelFileNameProduced", path);
  };

  const append = async (path: string, body: unknown): Promise<boolean> => {
    await writeBody(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, body ?? "", writing);
    return true;
  };

  /** Writes to a temporary file and renames it at the end; false when the target exists and is kept. */
  const replace = async (path: string, name: string, exchange: Exchange): Promise<boolean> => {
    if ((fileExist === "Ignore" || fileExist === "Fail") && (await exists(path))) return keepExisting(path);
    const temp =
      temporaryName === undefined
        ? join(dirname(path), `.${host.ids.next()}.part`)
        : pathWithin(dirname(path), temporaryName({ name: basename(path), exchange }));
    await prepareParent(directory, temp, options.autoCreate);
    await rm(temp, { force: true });
    try {
      await writeBody(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, exchange.message.body ?? "", writing);
      if (fileExist === "Move" && movedName !== undefined && (await exists(path))) await moveExistingFile(path, movedName({ name, exchange }));
      if (fileExist === "Ignore" || fileExist === "Fail") return (await placeNew(temp, path)) || keepExisting(path);
      await rename(temp, path);
      return true;
    } finally {
      await rm(temp, { force: true });
    }
  };

  const moveExistingFile = async (path: string, name: string): Promise<void> => {
    const movedPath = pathWithin(dirname(path), name);
    await prepareParent(directory, movedPath, true);
    await rename(path, movedPath);
  };

  const keepExisting = (path: string): boolean => {
    if (fileExist === "Ignore") return false;
    throw fileError(`File already exist: ${basename(path)}. Cannot write new file.`, "file-exists");
  };

  return {
    send: (exchange) =>
      write(exchange).catch((error: unknown) => {
        throw isFlowError(error) ? error : fileError(`writing to '${options.directoryName}' failed: ${reason(error)}`, "file-failed", error);
      }),
  };
}

/** Moves a complete file to its final name atomically; false when the name already exists. */
async function placeNew(temp: string, path: string): Promise<boolean> {
  try {
    await link(temp, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    if (!hasCode(error, "EPERM") && !hasCode(error, "ENOTSUP")) throw error;
    if (await exists(path)) return false;
    await rename(temp, path);
    return true;
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? String(error.code) : error.message;
}

function unescapeText(text: string | undefined): string | undefined {
  return text?.replaceAll(/\\([nrt])/g, (_, letter: string) => ({ n: "\n", r: "\r", t: "\t" })[letter] as string);
}

function modeOf(chmod: string | undefined): number | undefined {
  if (chmod === undefined) return undefined;
  if (!/^[0-7]{3,4}$/.test(chmod))
    throw new CompileError("bad-option", `chmod '${chmod}' is not an octal mode`, { hint: "use three or four octal digits, such as 640" });
  return Number.parseInt(chmod, 8);
}
