// For programs that show the log of a runtime to people, without the runtime itself.
export { lineFormat, type LineFormat } from "./output-format.ts";
export { readableRecord, timeOfDay } from "./readable-line.ts";
