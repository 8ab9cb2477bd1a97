import { memberNames } from "@sluice/model";
import { compact, headerName, type DocumentReader } from "./document-reader.ts";
import { hmacPresets, type HmacScheme } from "./policy-document.ts";
import { customHmacOptions, hmacAlgorithms, hmacEncodings, hmacSchema, maxTemplateLength } from "./policy-schema.ts";

/** Reads an hmac scheme except for its secrets and roles. */
export function readHmacOptions(reader: DocumentReader, value: unknown, path: string): Omit<HmacScheme, "type" | "secrets" | "roles"> {
  const members = reader.object(value, path, memberNames(hmacSchema)) ?? {};
  const preset = reader.optional(members["preset"], (option) => reader.oneOf(option, `${path}.preset`, hmacPresets));
  const id = reader.optional(members["id"], (option) => reader.text(option, `${path}.id`));
  const toleranceSec = reader.optional(members["toleranceSec"], (option) => reader.integer(option, `${path}.toleranceSec`, 1, 86_400));
  if (members["preset"] !== undefined) {
    for (const name of customHmacOptions)
      if (members[name] !== undefined) reader.report(`${path}.${name}`, "is defined by the preset: remove it, or remove the preset");
    return compact({ id, preset, toleranceSec });
  }
  const header = reader.textMatching(members["header"], `${path}.header`, headerName, "must be the name of a header");
  const timestampHeader = reader.optional(members["timestampHeader"], (option) =>
    reader.textMatching(option, `${path}.timestampHeader`, headerName, "must be the name of a header"),
  );
  const template = reader.optional(members["template"], (option) => readTemplate(reader, option, `${path}.template`));
  const signsTime = (template ?? "{body}").includes("{timestamp}");
  if (signsTime && timestampHeader === undefined) reader.report(`${path}.timestampHeader`, "is required: the template signs {timestamp}");
  if (!signsTime && timestampHeader !== undefined)
    reader.report(`${path}.template`, "must contain {timestamp}: otherwise the timestamp is not signed and can be forged");
  return compact({
    id,
    header,
    algorithm: reader.optional(members["algorithm"], (option) => reader.oneOf(option, `${path}.algorithm`, hmacAlgorithms)),
    encoding: reader.optional(members["encoding"], (option) => reader.oneOf(option, `${path}.encoding`, hmacEncodings)),
    prefix: reader.optional(members["prefix"], (option) => (typeof option === "string" ? option : reader.report(`${path}.prefix`, "must be a string"))),
    template,
    timestampHeader,
    toleranceSec,
  });
}

function readTemplate(reader: DocumentReader, value: unknown, path: string): string | undefined {
  const template = reader.text(value, path);
  if (template === undefined) return undefined;
  if (template.length > maxTemplateLength) return reader.report(path, `must not be longer than ${maxTemplateLength} characters`);
  if (template.split("{body}").length !== 2) return reader.report(path, "must contain {body} once");
  const unknown = [...template.matchAll(/\{([^{}]*)\}/g)].find(([, name]) => !["body", "timestamp", "method", "path"].includes(name as string));
  return unknown === undefined ? template : reader.report(path, "supports only {body}, {timestamp}, {method} and {path}");
}
