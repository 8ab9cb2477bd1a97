// An access policy as stored. API keys and passwords are stored as hashes; signing secrets are stored in plain text because they are
// needed to compute signatures.

/** A scrypt hash of a password; binary parts in base64. */
export interface ScryptHash {
  readonly cost: number;
  readonly salt: string;
  readonly hash: string;
}

/** The name of the environment variable that contains the secret. */
export interface EnvironmentSecret {
  readonly env: string;
}
export type KeySecret = EnvironmentSecret | { readonly sha256: string };
export type PasswordSecret = EnvironmentSecret | { readonly scrypt: ScryptHash };
/** A new password is plain text until it is hashed. */
export type SubmittedPassword = PasswordSecret | { readonly plain: string };
export type SigningSecret = EnvironmentSecret | { readonly value: string };

export interface ApiKey {
  readonly id: string;
  readonly key: KeySecret;
  readonly roles?: readonly string[];
  readonly expiresAt?: string;
}

export interface ApiKeyScheme {
  readonly type: "apiKey";
  readonly in?: "header" | "query";
  readonly name?: string;
  readonly keys: readonly ApiKey[];
}

export interface BasicUser<P = PasswordSecret> {
  readonly username: string;
  readonly password: P;
  readonly roles?: readonly string[];
}

export interface BasicScheme<P = PasswordSecret> {
  readonly type: "basic";
  readonly users: readonly BasicUser<P>[];
}

export interface JwtScheme {
  readonly type: "jwt";
  readonly jwksUri: string;
  readonly issuer?: string | readonly string[];
  readonly audience?: string | readonly string[];
  readonly algorithms?: readonly string[];
  readonly rolesClaim?: string;
  readonly clockSkewSec?: number;
  /** Whether a token must have an expiry; true by default. */
  readonly requireExp?: boolean;
}

export const hmacPresets = ["github", "stripe", "standard-webhooks", "slack", "shopify"] as const;
export type HmacPreset = (typeof hmacPresets)[number];

export interface HmacScheme {
  readonly type: "hmac";
  /** The principal's id; by default the preset's name or `hmac`. */
  readonly id?: string;
  readonly preset?: HmacPreset;
  readonly secrets: readonly SigningSecret[];
  readonly roles?: readonly string[];
  readonly toleranceSec?: number;
  readonly header?: string;
  readonly algorithm?: string;
  readonly encoding?: string;
  readonly prefix?: string;
  readonly template?: string;
  readonly timestampHeader?: string;
}

export type Scheme<P = PasswordSecret> = ApiKeyScheme | BasicScheme<P> | JwtScheme | HmacScheme;

export interface Rule {
  readonly routes?: readonly string[];
  readonly methods?: readonly string[];
  readonly roles?: readonly string[];
  readonly public?: boolean;
}

export interface RateLimit {
  readonly limit: number;
  readonly windowSec: number;
  readonly by?: "principal" | "ip" | "route";
}

export interface Cors {
  readonly origins: readonly string[];
  readonly methods?: readonly string[];
  readonly headers?: readonly string[];
  readonly exposeHeaders?: readonly string[];
  readonly credentials?: boolean;
  readonly maxAgeSec?: number;
}

/** `P` is the type of passwords: hashed when stored, plain text before. */
export interface Policy<P = PasswordSecret> {
  readonly authenticate?: readonly Scheme<P>[];
  readonly rules?: readonly Rule[];
  readonly default?: "deny" | "allow";
  readonly ip?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  readonly rateLimit?: RateLimit;
  readonly cors?: Cors;
}

/** The caller, available to the route in the exchange property `principal`. */
export interface Principal {
  readonly id: string;
  readonly scheme: "apiKey" | "basic" | "jwt" | "hmac";
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Without `default`: with rules everything else is denied, without rules every authenticated caller is accepted. */
export const defaultOf = (policy: Policy): "deny" | "allow" => policy.default ?? (policy.rules === undefined ? "allow" : "deny");
