// A connection as stored: its type and field values, with secrets as references or marked as secret.
import { readFileSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { ConnectionDeclaration } from "@sluice/engine/spi";
import { describe, type Field, type Fields } from "@sluice/model";
import { masked } from "../masking/secret-headers.ts";
import { maskUris } from "../masking/secret-uris.ts";
import { ServiceError } from "../service-error.ts";
import { connectionMembers, maxTitleLength } from "./connection-schema.ts";

type Values = Readonly<Record<string, unknown>>;

export interface ConnectionDocument {
  readonly type: string;
  readonly title?: string;
  readonly values: Values;
}

/** Sources of referenced values. */
export interface ReferenceSources {
  variable(name: string): string | undefined;
  /** Folder of mounted secrets; without it file references are rejected. */
  readonly secretsDir: string | undefined;
}

const forbidden = new Set(["__proto__", "constructor", "prototype"]);
const maxValues = 200;
const maxTextLength = 65_536;
const maxSecretFileBytes = 65_536;

/** Validates a document; throws a ServiceError that names the problem but includes no values, which may be secrets. */
export function readDocument(id: string, input: unknown): ConnectionDocument {
  const invalid = (text: string): ServiceError => new ServiceError("document-invalid", `connection '${id}': ${text}`);
  if (!isMap(input)) throw invalid("must be an object with 'type' and 'values'");
  const { type, title, values = {} } = input;
  const unknown = Object.keys(input).find((name) => !connectionMembers.includes(name));
  if (unknown !== undefined)
    throw invalid(
      `unknown property '${unknown.slice(0, 60)}'; the properties are ${connectionMembers.slice(0, -1).join(", ")} and ${connectionMembers.at(-1)}; put the fields under 'values'`,
    );
  if (typeof type !== "string" || type === "") throw invalid("'type' must be the name of a connection type");
  if (title !== undefined && (typeof title !== "string" || title.length > maxTitleLength))
    throw invalid(`'title' must be a string of at most ${maxTitleLength} characters`);
  if (!isMap(values)) throw invalid("'values' must be an object");
  const names = Object.keys(values);
  if (names.length > maxValues) throw invalid(`'values' must not have more than ${maxValues} names`);
  for (const name of names) {
    if (forbidden.has(name)) throw invalid(`'values' must not use the name '${name}'`);
    if (JSON.stringify(values[name] ?? null).length > maxTextLength) throw invalid(`the value of '${name}' is longer than ${maxTextLength} characters`);
  }
  return { type, ...(title === undefined ? {} : { title }), values };
}

/** Prepares a document for storage: replaces masked secrets with the stored ones, and marks plain text in a secret field as secret. */
export function toStoredDocument(document: ConnectionDocument, { fields }: ConnectionDeclaration, stored: ConnectionDocument | undefined): ConnectionDocument {
  return { ...document, values: withMarkedSecrets(document.values, fields as Fields, stored?.type === document.type ? stored.values : {}) };
}

function withMarkedSecrets(values: Values, fields: Fields, stored: Values): Values {
  return mapValues(values, (value, name) => {
    const field = Object.hasOwn(fields, name) ? describe(fields[name] as Field<unknown>) : undefined;
    const storedValue = Object.hasOwn(stored, name) ? stored[name] : undefined;
    if (isSecretValue(value)) return value.value === masked && isSecretValue(storedValue) ? storedValue : value;
    if (isReference(value)) return value;
    if (field?.fields !== undefined && isMap(value)) return withMarkedSecrets(value, field.fields, isMap(storedValue) ? storedValue : {});
    if (field?.spec.secret !== true || value === "") return value;
    return value === masked && isSecretValue(storedValue) ? storedValue : { value, secret: true };
  });
}

/** Masks the secrets of a document. */
export const maskDocument = (document: ConnectionDocument): ConnectionDocument => ({ ...document, values: mask(document.values) });

const mask = (values: Values): Values =>
  mapValues(values, (value) => (isSecretValue(value) ? { value: masked, secret: true } : isMap(value) && !isReference(value) ? mask(value) : value));

/** The paths of secrets that the document contains as plain text, including passwords in URIs. */
export const literalSecrets = ({ values }: Pick<ConnectionDocument, "values">, path = ""): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const valuePath = `${path}${name}`;
    if (isSecretValue(value)) return [valuePath];
    if (isMap(value)) return isReference(value) ? [] : literalSecrets({ values: value }, `${valuePath}.`);
    return typeof value === "string" && maskUris(value) !== value ? [valuePath] : [];
  });

/** Resolves references and collects secret values. Throws a ServiceError for a reference that cannot be resolved. */
export function resolveValues(
  id: string,
  { values }: ConnectionDocument,
  sources: ReferenceSources,
): { readonly values: Values; readonly secrets: readonly string[] } {
  const secrets: string[] = [];
  const resolveAll = (unresolved: Values, path: string): Values =>
    mapValues(unresolved, (value, name) => {
      const valuePath = `${path}${name}`;
      if (isSecretValue(value)) return secret(String(value.value));
      if (isVariable(value)) {
        const text = sources.variable(value.env);
        // The designer parses this message to find the field.
        if (text === undefined) throw new ServiceError("document-invalid", `connection '${id}': the variable '${value.env}' of '${valuePath}' is not set`);
        return secret(text);
      }
      if (isFile(value)) return secret(readSecretFile(value.file, `connection '${id}': '${valuePath}'`, sources.secretsDir));
      if (isMap(value)) return resolveAll(value, `${valuePath}.`);
      // Fields parse strings, as in a URI.
      return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    });
  const secret = (text: string): string => {
    secrets.push(text);
    return text;
  };
  return { values: resolveAll(values, ""), secrets };
}

/** Reads a mounted secret without its trailing line break, which most files have. */
function readSecretFile(path: string, subject: string, secretsDir: string | undefined): string {
  if (secretsDir === undefined) throw new ServiceError("document-invalid", `${subject} references a file, but SERVICE_SECRETS_DIR is not set`);
  const folder = resolve(secretsDir);
  const file = resolve(folder, path);
  if (!file.startsWith(folder + sep)) throw new ServiceError("document-invalid", `${subject} references a file outside of SERVICE_SECRETS_DIR`);
  try {
    const bytes = readFileSync(file);
    if (bytes.length > maxSecretFileBytes)
      throw new ServiceError("document-invalid", `${subject}: the file '${path}' is larger than ${maxSecretFileBytes} bytes`);
    return bytes.toString("utf8").replace(/\r?\n$/, "");
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("document-invalid", `${subject}: the file '${path}' cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
}

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const hasOnly = (value: unknown, ...names: readonly string[]): value is Record<string, unknown> =>
  isMap(value) && Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
const isVariable = (value: unknown): value is { readonly env: string } => hasOnly(value, "env") && typeof value["env"] === "string";
const isFile = (value: unknown): value is { readonly file: string } => hasOnly(value, "file") && typeof value["file"] === "string";
const isSecretValue = (value: unknown): value is { readonly value: string | number | boolean; readonly secret: true } =>
  hasOnly(value, "value", "secret") && value["secret"] === true && !isMap(value["value"]);
const isReference = (value: unknown): boolean => isVariable(value) || isFile(value);

const mapValues = (values: Values, change: (value: unknown, name: string) => unknown): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
