// How a directory is written and what may be said about reading and writing it: everything but the files.
import type { ConnectorDeclaration } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sinkFields, sourceFields } from "../camel-options.ts";

const path = { directoryName: f.string({ doc: "The directory.", required: true, examples: ["data/inbox"] }) };

const readOptions = {
  include: f.string({ doc: "Only files whose name matches this regular expression, whatever the case." }),
  exclude: f.string({ doc: "No files whose name matches this regular expression, whatever the case." }),
  antInclude: f.string({ doc: "Only files whose path matches one of these patterns, such as `**/*.xml,a/*.csv`." }),
  antExclude: f.string({ doc: "No files whose path matches one of these patterns." }),
  antFilterCaseSensitive: f.boolean({ doc: "Whether antInclude and antExclude heed the case.", default: true, group: "advanced" }),
  includeExt: f.string({ doc: "Only files with one of these extensions, with commas between." }),
  excludeExt: f.string({ doc: "No files with one of these extensions." }),
  includeHiddenFiles: f.boolean({ doc: "Whether files whose name begins with a dot are read.", default: false }),
  recursive: f.boolean({ doc: "Whether folders below are searched too.", default: false }),
  minDepth: f.integer({ doc: "The least depth of a file; the directory itself is 1.", default: 0, min: 0 }),
  maxDepth: f.integer({ doc: "The greatest depth of a file.", default: 2_147_483_647, min: 1 }),
  noop: f.boolean({ doc: "Whether files stay where they are; each is then read once.", default: false }),
  delete: f.boolean({ doc: "Whether a file is deleted after it was processed well.", default: false }),
  move: f.string({
    doc: "Where a file goes after it was processed well: a folder, or a name with parts such as ${file:name} and ${date:now:yyyyMMdd}; `.camel` unless given.",
    examples: [".done/${file:name}"],
  }),
  moveFailed: f.string({ doc: "Where a file goes when its run failed; otherwise it stays and is tried again." }),
  preMove: f.string({ doc: "Where a file goes before it is processed; after a crash it is found there." }),
  idempotent: f.boolean({ doc: "Whether a file that was processed is not processed again; on by itself with noop." }),
  idempotentKey: f.string({ doc: "What makes a file the same file; its path unless given.", examples: ["${file:name}-${file:size}"] }),
  readLock: f.enum(["none", "changed", "rename", "markerFile"], { doc: "How to make sure that nobody is still writing a file.", default: "none" }),
  readLockTimeout: f.duration({ doc: "How long to try to get the lock before the file is left for the next time.", default: 10_000, group: "advanced" }),
  readLockCheckInterval: f.duration({ doc: "For `changed`: how long a file must stay as it is.", default: 1000, group: "advanced" }),
  readLockMinLength: f.integer({ doc: "For `changed`: the least length of a file.", default: 1, min: 0, group: "advanced" }),
  readLockMinAge: f.duration({ doc: "For `changed`: the least age of a file.", default: 0, group: "advanced" }),
  readLockDeleteOrphanLockFiles: f.boolean({
    doc: "For `markerFile`: whether marks a crash left behind are removed at the start.",
    default: true,
    group: "advanced",
  }),
  sortBy: f.string({
    doc: "The order of files: file:name, file:modified, file:length or file:ext, each with `reverse:` or `ignoreCase:` before it, several with semicolons between.",
    examples: ["reverse:file:modified"],
  }),
  maxMessagesPerPoll: f.integer({ doc: "How many files are taken at a time; 0 takes all.", default: 0, min: 0 }),
  eagerMaxMessagesPerPoll: f.boolean({ doc: "Accepted for flows from Camel: files are sorted before they are counted.", default: true, group: "advanced" }),
  initialDelay: f.duration({ doc: "How long after the start the directory is first looked at.", default: 1000 }),
  delay: f.duration({ doc: "How long until it is looked at again.", default: 500 }),
  useFixedDelay: f.boolean({ doc: "Whether the delay counts from the end of the last look.", default: true, group: "advanced" }),
  greedy: f.boolean({ doc: "Whether the next look follows at once when files were found.", default: false, group: "advanced" }),
  repeatCount: f.integer({ doc: "How many looks there are in all; 0 means no end.", default: 0, min: 0, group: "advanced" }),
  sendEmptyMessageWhenIdle: f.boolean({ doc: "Whether a look that finds nothing sends an empty message.", default: false }),
  directoryMustExist: f.boolean({ doc: "Whether the route fails to start when the directory does not exist.", default: false }),
  startingDirectoryMustExist: f.boolean({ doc: "The same as directoryMustExist.", default: false, group: "advanced" }),
  streamOver: f.size({
    doc: "Files longer than this are not read into memory: the body is a stream that can be read again and again.",
    default: 4 * 1024 * 1024,
    group: "advanced",
  }),
};

const writeOptions = {
  fileExist: f.enum(["Override", "Append", "Fail", "Ignore", "Move", "TryRename"], { doc: "What to do when the file exists.", default: "Override" }),
  moveExisting: f.string({ doc: "Where the old file goes with fileExist=Move." }),
  tempFileName: f.string({ doc: "The name while the file is being written; a hidden one unless given." }),
  tempPrefix: f.string({ doc: "What the name begins with while the file is being written." }),
  allowNullBody: f.boolean({ doc: "Whether an empty message writes an empty file instead of failing.", default: false }),
  appendChars: f.text({ doc: "Text written after the body, such as a line break: `\\n`, `\\r` and `\\t` are understood." }),
  eagerDeleteTargetFile: f.boolean({ doc: "Accepted for flows from Camel: a file is replaced in one step.", default: true, group: "advanced" }),
  keepLastModified: f.boolean({ doc: "Whether the file gets the time in the header CamelFileLastModified.", default: false, group: "advanced" }),
  forceWrites: f.boolean({ doc: "Whether to wait until the disk has the file.", default: true, group: "advanced" }),
  chmod: f.string({ doc: "The file's permissions in octal.", group: "advanced", examples: ["640"] }),
  jailStartingDirectory: f.boolean({ doc: "Files are never written outside of the directory; false is refused.", default: true, group: "security" }),
};

const options = {
  fileName: f.string({
    doc: "Reading: the only file to read. Writing: the file's name, with parts such as ${date:now:yyyyMMdd}; otherwise the route's header CamelFileName, else the message's id.",
  }),
  doneFileName: f.string({
    doc: "Reading: a file is ready only when this one stands beside it. Writing: an empty file of this name is written after it.",
    examples: ["${file:name}.done"],
  }),
  charset: f.string({ doc: "The encoding: a file is then read as text; text is written in it." }),
  flatten: f.boolean({ doc: "Whether folders in a file's name are left out.", default: false }),
  autoCreate: f.boolean({ doc: "Whether missing directories are made.", default: true }),
  bufferSize: f.size({ doc: "Accepted for flows from Camel and without effect.", default: 131_072, group: "advanced" }),
  ...readOptions,
  ...writeOptions,
  ...sourceFields,
  ...sinkFields,
};

export type FileOptions = Values<typeof path> & Values<typeof options>;

export const fileShape: Omit<ConnectorDeclaration<typeof path, typeof options>, "connect"> = {
  scheme: "file",
  title: "Files",
  summary: "Reads the files of a directory as they appear, or writes messages to files.",
  group: "files",
  icon: "folder",
  since: "0.1",
  syntax: "file:directoryName",
  path,
  options,
  headers: {
    CamelFileName: f.string({ doc: "The file's name below the directory; steers where a message is written, if the route set it." }),
    CamelFileNameOnly: f.string({ doc: "The name without folders." }),
    CamelFileNameConsumed: f.string({ doc: "The name of the file that was read." }),
    CamelFileNameProduced: f.string({ doc: "The path of the file that was written." }),
    CamelFileAbsolutePath: f.string({ doc: "The whole path." }),
    CamelFileParent: f.string({ doc: "The folder the file is in." }),
    CamelFileLength: f.integer({ doc: "The length in bytes." }),
    CamelFileLastModified: f.integer({ doc: "When it was changed, milliseconds since the epoch." }),
    CamelOverruleFileName: f.string({ doc: "A name that wins over every other once, if the route set it." }),
  },
  examples: [
    {
      title: "From one directory to the next step",
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
