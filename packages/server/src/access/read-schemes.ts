// Reads the `authenticate` part of a policy.
import { hash } from "node:crypto";
import { memberNames } from "@sluice/model";
import { masked } from "../masking/secret-headers.ts";
import { compact, headerName, type DocumentReader, type Members } from "./document-reader.ts";
import { readHmacOptions } from "./read-hmac.ts";
import type {
  ApiKey,
  ApiKeyScheme,
  BasicScheme,
  BasicUser,
  EnvironmentSecret,
  SubmittedPassword,
  HmacScheme,
  JwtScheme,
  Scheme,
  SigningSecret,
} from "./policy-document.ts";
import {
  apiKeySchema,
  basicSchema,
  jwtSchema,
  keyLocations,
  keySchema,
  maxUsers,
  schemeTypes,
  settingPattern,
  signingSecretSchema,
  timePattern,
  tokenAlgorithms,
  usernamePattern,
  userSchema,
  variablePattern,
  variableSchema,
} from "./policy-schema.ts";
import { signingKeyBytes } from "./signing-key.ts";
import type { StoredSecrets } from "./stored-secrets.ts";

export class SchemeReader {
  readonly #reader: DocumentReader;
  readonly #stored: StoredSecrets;
  readonly #ids = new Set<string>();
  readonly #users = new Set<string>();

  constructor(reader: DocumentReader, stored: StoredSecrets) {
    this.#reader = reader;
    this.#stored = stored;
  }

  readAll(value: unknown): readonly Scheme<SubmittedPassword>[] | undefined {
    const schemes = this.#reader.list(value, "authenticate")?.map((scheme, index) => this.#read(scheme, index));
    return schemes?.every((scheme) => scheme !== undefined) === true ? schemes : undefined;
  }

  #read(value: unknown, index: number): Scheme<SubmittedPassword> | undefined {
    const path = `authenticate[${index}]`;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return this.#reader.report(path, "must be an object");
    const type = this.#reader.oneOf((value as Members)["type"], `${path}.type`, schemeTypes);
    switch (type) {
      case "apiKey":
        return this.#apiKey(value, path);
      case "basic":
        return this.#basic(value, path);
      case "jwt":
        return this.#jwt(value, path);
      case "hmac":
        return this.#hmac(value, path, index);
      default:
        return undefined;
    }
  }

  #apiKey(value: object, path: string): ApiKeyScheme {
    const reader = this.#reader;
    const members = reader.object(value, path, memberNames(apiKeySchema)) ?? {};
    const location = reader.optional(members["in"], (option) => reader.oneOf(option, `${path}.in`, keyLocations));
    const name = reader.optional(members["name"], (option) =>
      location === "query" ? reader.text(option, `${path}.name`) : reader.textMatching(option, `${path}.name`, headerName, "must be the name of a header"),
    );
    const keys = reader.list(members["keys"], `${path}.keys`)?.map((key, index) => this.#key(key, `${path}.keys[${index}]`)) ?? [];
    return compact<ApiKeyScheme>({ type: "apiKey", in: location, name, keys });
  }

  #key(value: unknown, path: string): ApiKey {
    const reader = this.#reader;
    const members = reader.object(value, path, memberNames(keySchema)) ?? {};
    const id = reader.text(members["id"], `${path}.id`) ?? "";
    this.#unique(this.#ids, id, `${path}.id`);
    const key = this.#secret(members["key"], `${path}.key`, this.#stored.key(id), (text) => ({ sha256: hash("sha256", text, "hex") }));
    const expiresAt = reader.optional(members["expiresAt"], (time) =>
      typeof time === "string" && timePattern.test(time) && !Number.isNaN(Date.parse(time))
        ? time
        : reader.report(`${path}.expiresAt`, "must be a time such as 2027-01-01T00:00:00Z"),
    );
    return compact<ApiKey>({ id, key: key ?? { env: "" }, roles: this.#roles(members, path), expiresAt });
  }

  #basic(value: object, path: string): BasicScheme<SubmittedPassword> {
    const reader = this.#reader;
    const members = reader.object(value, path, memberNames(basicSchema)) ?? {};
    const users = reader.list(members["users"], `${path}.users`)?.map((user, index) => this.#user(user, `${path}.users[${index}]`)) ?? [];
    if (users.length > maxUsers) reader.report(`${path}.users`, `must not have more than ${maxUsers} users`);
    return { type: "basic", users };
  }

  #user(value: unknown, path: string): BasicUser<SubmittedPassword> {
    const reader = this.#reader;
    const members = reader.object(value, path, memberNames(userSchema)) ?? {};
    const username = reader.textMatching(members["username"], `${path}.username`, usernamePattern, "must not contain a colon") ?? "";
    this.#unique(this.#users, username, `${path}.username`);
    const password = this.#secret<SubmittedPassword>(members["password"], `${path}.password`, this.#stored.password(username), (plain) => ({ plain }));
    return compact<BasicUser<SubmittedPassword>>({ username, password: password ?? { env: "" }, roles: this.#roles(members, path) });
  }

  #jwt(value: object, path: string): JwtScheme {
    const reader = this.#reader;
    const members = reader.object(value, path, memberNames(jwtSchema)) ?? {};
    const oneOrMore = (name: string): string | readonly string[] | undefined =>
      reader.optional(members[name], (option) => (Array.isArray(option) ? reader.texts(option, `${path}.${name}`) : reader.text(option, `${path}.${name}`)));
    const jwksUri = reader.text(members["jwksUri"], `${path}.jwksUri`) ?? "";
    if (jwksUri !== "" && !isHttpUrl(jwksUri)) reader.report(`${path}.jwksUri`, "must be an http or https URL without a user name or password");
    return compact<JwtScheme>({
      type: "jwt",
      issuer: oneOrMore("issuer"),
      audience: oneOrMore("audience"),
      jwksUri,
      algorithms: reader.optional(members["algorithms"], (list) =>
        reader.list(list, `${path}.algorithms`)?.map((name, index) => reader.oneOf(name, `${path}.algorithms[${index}]`, tokenAlgorithms) ?? ""),
      ),
      rolesClaim: reader.optional(members["rolesClaim"], (claim) => reader.text(claim, `${path}.rolesClaim`)),
      clockSkewSec: reader.optional(members["clockSkewSec"], (seconds) => reader.integer(seconds, `${path}.clockSkewSec`, 0, 600)),
      requireExp: reader.optional(members["requireExp"], (required) => reader.boolean(required, `${path}.requireExp`)),
    });
  }

  #hmac(value: object, path: string, schemeIndex: number): HmacScheme {
    const options = readHmacOptions(this.#reader, value, path);
    const { secrets: list, roles } = value as Members;
    const secrets =
      this.#reader.list(list, `${path}.secrets`)?.map((secret, index) => this.#signingSecret(secret, `${path}.secrets[${index}]`, schemeIndex, index)) ?? [];
    for (const [index, secret] of secrets.entries()) {
      if (options.preset === "standard-webhooks" && "value" in secret && signingKeyBytes(secret.value, options.preset) === undefined)
        this.#reader.report(`${path}.secrets[${index}]`, "must be base64, with or without the prefix whsec_");
    }
    return compact<HmacScheme>({ type: "hmac", ...options, secrets, roles: this.#roles({ roles }, path) });
  }

  /** Reads text, `{"value": …}`, or `{"env": …}`. */
  #signingSecret(value: unknown, path: string, schemeIndex: number, index: number): SigningSecret {
    const isValue = typeof value === "object" && value !== null && "value" in value;
    const members = isValue ? (this.#reader.object(value, path, memberNames(signingSecretSchema)) ?? {}) : {};
    const fingerprint = typeof members["fingerprint"] === "string" ? members["fingerprint"] : undefined;
    const stored = this.#stored.signing(fingerprint, schemeIndex, index);
    return this.#secret<SigningSecret>(isValue ? members["value"] : value, path, stored, (text) => ({ value: text })) ?? { env: "" };
  }

  #secret<T>(value: unknown, path: string, stored: T | undefined, create: (text: string) => T): T | EnvironmentSecret | undefined {
    const reader = this.#reader;
    if (value === masked) return stored ?? reader.report(path, `'${masked}' means the stored secret, but no secret is stored`);
    if (typeof value === "string") return value === "" ? reader.report(path, "must not be empty") : create(value);
    if (value === undefined) return reader.report(path, "is required");
    if (typeof value !== "object" || value === null || !("env" in value)) return reader.report(path, 'must be a string or {"env": "NAME"}');
    const members = reader.object(value, path, memberNames(variableSchema)) ?? {};
    const env = reader.textMatching(members["env"], `${path}.env`, variablePattern, "must be the name of an environment variable");
    if (env !== undefined && settingPattern.test(env)) return reader.report(`${path}.env`, "is a setting of the runtime, which policies cannot use");
    return env === undefined ? undefined : { env };
  }

  #roles(members: Members, path: string): readonly string[] | undefined {
    const { roles } = members;
    if (roles === undefined || (Array.isArray(roles) && roles.length === 0)) return undefined;
    return this.#reader.texts(roles, `${path}.roles`);
  }

  #unique(names: Set<string>, name: string, path: string): void {
    if (name === "") return;
    if (names.has(name)) this.#reader.report(path, "is used twice: it must be unique in the policy");
    names.add(name);
  }
}

function isHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}
