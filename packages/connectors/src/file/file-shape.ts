// The declaration of the file connector, without I/O.
import type { ConnectorDeclaration } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sinkFields, sourceFields } from "../camel-options.ts";
import { pollFields } from "../polling/poll-fields.ts";

const javaObject = "it needs a Java object";
const ignoredOption = (reason: string) => f.string({ doc: `Accepted but ignored: ${reason}.`, group: "advanced" });

const path = { directoryName: f.string({ doc: "Path of the folder to read from or to write to.", required: true, examples: ["data/inbox"] }) };

const readOptions = {
  include: f.string({ doc: "Only files whose name matches this regular expression; case-insensitive." }),
  exclude: f.string({ doc: "Excludes files whose name matches this regular expression; case-insensitive." }),
  antInclude: f.string({ doc: "Only files whose path matches one of these patterns, such as `**/*.xml,a/*.csv`." }),
  antExclude: f.string({ doc: "Excludes files whose path matches one of these patterns." }),
  antFilterCaseSensitive: f.boolean({ doc: "Whether antInclude and antExclude are case-sensitive.", default: true, group: "advanced" }),
  includeExt: f.string({ doc: "Only files with one of these extensions, separated by commas." }),
  excludeExt: f.string({ doc: "Excludes files with one of these extensions, separated by commas." }),
  includeHiddenFiles: f.boolean({ doc: "Whether files whose name starts with a dot are read.", default: false }),
  recursive: f.boolean({ doc: "Whether subfolders are searched, except hidden ones.", default: false }),
  minDepth: f.integer({ doc: "Minimum depth of a file; the folder of the endpoint is 1.", default: 0, min: 0 }),
  maxDepth: f.integer({ doc: "Maximum depth of a file.", default: 2_147_483_647, min: 1 }),
  noop: f.boolean({ doc: "Whether files stay in place; each is then read once.", default: false }),
  delete: f.boolean({ doc: "Whether a file is deleted after successful processing.", default: false }),
  move: f.string({
    doc: "Where a file is moved after successful processing: a folder, or a name with expressions such as ${file:name} and ${date:now:yyyyMMdd}; `.camel` by default.",
    examples: [".done/${file:name}"],
  }),
  moveFailed: f.string({ doc: "Where a file is moved when its run failed; by default it stays and is retried." }),
  preMove: f.string({ doc: "Where a file is moved before it is processed; after a crash it stays there." }),
  idempotent: f.boolean({ doc: "Whether a processed file is skipped the next time; true by default with noop." }),
  idempotentEager: ignoredOption("a file in progress is not read a second time, and a failed file is retried"),
  idempotentRepository: f.string({
    doc: "Where the keys of processed files are stored: the name of a bean, such as a repository in a database; in memory by default.",
    examples: ["#processedFiles"],
  }),
  idempotentKey: f.string({ doc: "Key that identifies a file; its path by default.", examples: ["${file:name}-${file:size}"] }),
  readLock: f.enum(["none", "changed", "rename", "markerFile"], { doc: "How to check that a file is complete before it is read.", default: "none" }),
  readLockTimeout: f.duration({
    doc: "For `changed`: how long to wait until a file stays unchanged; after that, it is skipped until the next poll.",
    default: 10_000,
    group: "advanced",
  }),
  readLockCheckInterval: f.duration({ doc: "For `changed`: how long a file must stay unchanged.", default: 1000, group: "advanced" }),
  readLockMinLength: f.integer({ doc: "For `changed`: minimum length of a file.", default: 1, min: 0, group: "advanced" }),
  readLockMinAge: f.duration({ doc: "For `changed`: minimum age of a file.", default: 0, group: "advanced" }),
  readLockDeleteOrphanLockFiles: f.boolean({
    doc: "For `markerFile`: whether marker files left by a crash are removed at start.",
    default: true,
    group: "advanced",
  }),
  sortBy: f.string({
    doc: "Sort order: file:name, file:modified, file:length or file:ext, optionally with the prefix `reverse:` or `ignoreCase:`; separate several with semicolons.",
    examples: ["reverse:file:modified"],
  }),
  maxMessagesPerPoll: f.integer({ doc: "Maximum number of files per poll; 0 for no limit.", default: 0, min: 0 }),
  eagerMaxMessagesPerPoll: f.boolean({ doc: "Accepted but ignored: files are sorted before the limit applies.", default: true, group: "advanced" }),
  ...pollFields,
  directoryMustExist: f.boolean({ doc: "Whether the route fails to start when the folder does not exist.", default: false }),
  startingDirectoryMustExist: f.boolean({ doc: "The same as directoryMustExist.", default: false, group: "advanced" }),
  startingDirectoryMustHaveAccess: ignoredOption("a folder that cannot be read is reported in the health of the route"),
  preSort: ignoredOption("files are sorted before the limit applies"),
  probeContentType: ignoredOption("the content type is not read"),
  extendedAttributes: ignoredOption("only the length and the time of the last change are read"),
  localWorkDirectory: ignoredOption("large files are streamed"),
  readLockLoggingLevel: ignoredOption("a file that cannot be locked is retried with the next poll"),
  readLockMarkerFile: ignoredOption("marker files are used with readLock=markerFile only"),
  copyAndDeleteOnRenameFail: ignoredOption("a file is copied only when it is moved to another file system"),
  renameUsingCopy: ignoredOption("a file is copied only when it is moved to another file system"),
  inProgressRepository: f.unsupported(javaObject),
  exclusiveReadLockStrategy: f.unsupported(javaObject),
  processStrategy: f.unsupported(javaObject),
  exceptionHandler: f.unsupported(javaObject),
  onCompletionExceptionHandler: f.unsupported(javaObject),
  filter: f.unsupported(`${javaObject}; use include, exclude, antInclude or antExclude`),
  sorter: f.unsupported(`${javaObject}; use sortBy`),
  streamOver: f.size({
    doc: "Files larger than this are not read into memory: the body is a stream that can be read repeatedly.",
    default: 4 * 1024 * 1024,
    group: "advanced",
  }),
};

const writeOptions = {
  fileExist: f.enum(["Override", "Append", "Fail", "Ignore", "Move", "TryRename"], { doc: "What to do when the file exists.", default: "Override" }),
  moveExisting: f.string({ doc: "Where the existing file is moved with fileExist=Move." }),
  tempFileName: f.string({ doc: "Name of the file while it is being written; a hidden name by default." }),
  tempPrefix: f.string({ doc: "Prefix of the name while the file is being written." }),
  allowNullBody: f.boolean({ doc: "Whether an empty message writes an empty file instead of failing.", default: false }),
  appendChars: f.text({ doc: "Text written after the body, such as a line break; `\\n`, `\\r` and `\\t` are supported." }),
  eagerDeleteTargetFile: f.boolean({ doc: "Accepted but ignored: a file is replaced atomically.", default: true, group: "advanced" }),
  keepLastModified: f.boolean({ doc: "Whether the modification time is set from the header CamelFileLastModified.", default: false, group: "advanced" }),
  forceWrites: f.boolean({ doc: "Whether to wait until the file is on disk (fsync).", default: true, group: "advanced" }),
  chmod: f.string({ doc: "The file's permissions in octal.", group: "advanced", examples: ["640"] }),
  chmodDirectory: ignoredOption("new folders get the default permissions of the process"),
  moveExistingFileStrategy: f.unsupported(`${javaObject}; use moveExisting`),
  jailStartingDirectory: f.boolean({ doc: "Files are never written outside the folder of the endpoint; false is rejected.", default: true, group: "security" }),
};

const options = {
  fileName: f.string({
    doc: "Reading: the only file to read. Writing: the name of the file, with expressions such as ${date:now:yyyyMMdd}; by default the header CamelFileName set by the route, else the message id.",
  }),
  doneFileName: f.string({
    doc: "Reading: a file is ready only when this file exists next to it. Writing: an empty file of this name is written afterwards.",
    examples: ["${file:name}.done"],
  }),
  charset: f.string({ doc: "Encoding of the files. By default, files are read as bytes, and text is written in UTF-8." }),
  flatten: f.boolean({ doc: "Whether folders are removed from the file name.", default: false }),
  autoCreate: f.boolean({ doc: "Whether missing folders are created.", default: true }),
  bufferSize: f.size({ doc: "Accepted but ignored.", default: 131_072, group: "advanced" }),
  autoCreateStepwise: ignoredOption("missing folders are always created one by one"),
  browseLimit: ignoredOption("files are not browsed"),
  synchronous: ignoredOption("files are read one at a time"),
  ...readOptions,
  ...writeOptions,
  ...sourceFields,
  ...sinkFields,
};

export type FileOptions = Values<typeof path> & Values<typeof options>;

export const fileShape: Omit<ConnectorDeclaration<typeof path, typeof options>, "connect"> = {
  scheme: "file",
  title: "Files",
  summary: "Reads the files of a folder as they appear, or writes messages to files.",
  guarantees:
    "Messages are delivered at least once: a file is moved or deleted only after its run succeeds, so after a crash it is read again. Files are read one at a time, in the order of sortBy. A failed file is moved to moveFailed, or stays and is retried. Without idempotentRepository, the keys of processed files are stored in memory (100,000 per endpoint), so noop reads files again after a restart. Writing is atomic: the file appears under its name when it is complete and, with forceWrites, on disk; Append writes in place. Files larger than streamOver are streamed and not loaded into memory.",
  group: "files",
  icon: "folder",
  card: { subtitle: "{directoryName}" },
  since: "0.1",
  keywords: ["folder", "write", "ftp"],
  syntax: "file:directoryName",
  roles: ["source", "sink", "poller"],
  trigger: "outside",
  path,
  options,
  headers: {
    CamelFileName: f.string({ doc: "Name of the file relative to the folder of the endpoint; if set by the route, the name of the file to write." }),
    CamelFileNameOnly: f.string({ doc: "The name without folders." }),
    CamelFileNameConsumed: f.string({ doc: "The name of the file that was read." }),
    CamelFileNameProduced: f.string({ doc: "The path of the file that was written." }),
    CamelFileAbsolutePath: f.string({ doc: "The absolute path." }),
    CamelFileParent: f.string({ doc: "The folder of the file." }),
    CamelFileLength: f.integer({ doc: "The length in bytes." }),
    CamelFileLastModified: f.integer({ doc: "Modification time, in milliseconds since the epoch." }),
    CamelOverruleFileName: f.string({ doc: "Set by the route: file name that overrides all others, for the next write only." }),
  },
  examples: [
    {
      title: "Write a file and read it",
      yaml: `- route:
    id: reader
    from:
      uri: file:{{directory}}
      parameters: {initialDelay: 10ms, delay: 50ms, delete: "true"}
      steps:
        - convertBodyTo: String
        - to: mock:result
- route:
    id: writer
    from:
      uri: timer:once
      parameters: {delay: 10ms, repeatCount: 1}
      steps:
        - setBody: {constant: hello}
        - to: {uri: "file:{{directory}}", parameters: {fileName: hello.txt}}`,
      expect: { body: "hello" },
    },
  ],
};
