import { isatty } from "node:tty";
import type { LogLevel } from "@sluice/engine";
import type { Configuration } from "../config.ts";
import { createSecretValues, type SecretValues } from "../masking/secret-values.ts";
import { createBatchedWriter, type BatchedWriter } from "./batched-writer.ts";
import { lineFormat } from "./output-format.ts";
import { createRuntimeLog, type RuntimeLog } from "./runtime-log.ts";

export interface ProcessLog {
  readonly log: RuntimeLog;
  readonly writer: BatchedWriter;
  readonly secrets: SecretValues;
}

/** Creates the log of a process on a file descriptor, and the registry of secrets to mask in it. */
export function createProcessLog({ settings, environment }: Configuration, output: number): ProcessLog {
  const secrets = createSecretValues();
  secrets.set("process", [settings.deployToken ?? ""]);
  const writer = createBatchedWriter({
    fileDescriptor: output,
    maxBytes: settings.logBuffer,
    dropped: droppedRecords,
    format: lineFormat(settings, environment, isatty(output)),
  });
  return { writer, secrets, log: createRuntimeLog({ level: settings.logLevel.toUpperCase() as LogLevel, writer, secrets, now: () => Date.now() }) };
}

/** The log record that reports dropped records. */
export function droppedRecords(count: number): string {
  const message = `Dropped ${count} log records: the reader was too slow, or the disk was full`;
  return JSON.stringify({ time: new Date().toISOString(), level: "WARN", logger: "sluice.log", message });
}
