// Reads a policy from a request. Schemes are read in read-schemes.
import { memberNames } from "@sluice/model";
import { parseNetwork } from "./address.ts";
import { compact, DocumentReader, headerName, maxListLength, type Members } from "./document-reader.ts";
import type { Cors, SubmittedPassword, Policy, RateLimit, Rule } from "./policy-document.ts";
import {
  addressesSchema,
  corsSchema,
  defaults,
  methodPattern,
  originPattern,
  policyMembers,
  policySchema,
  rateLimitKeys,
  rateLimitSchema,
  ruleSchema,
} from "./policy-schema.ts";
import { SchemeReader } from "./read-schemes.ts";
import { storedSecrets } from "./stored-secrets.ts";

export interface PolicyReading {
  readonly policy: Policy<SubmittedPassword>;
  /** One sentence each; a policy with problems must not be used. */
  readonly problems: readonly string[];
}

/** Reads a policy. `***` keeps the stored secret. */
export function readPolicy(document: unknown, stored: Policy | undefined): PolicyReading {
  const reader = new DocumentReader();
  const members = reader.object(document, "", memberNames(policySchema)) ?? {};
  const schemes = new SchemeReader(reader, storedSecrets(stored));
  const policy = compact<Policy<SubmittedPassword>>({
    authenticate: reader.optional(members["authenticate"], (value) => schemes.readAll(value)),
    rules: reader.optional(members["rules"], (value) => reader.list(value, "rules")?.map((rule, index) => readRule(reader, rule, `rules[${index}]`))),
    default: reader.optional(members["default"], (value) => reader.oneOf(value, "default", defaults)),
    ip: reader.optional(members["ip"], (value) => readAddresses(reader, value)),
    rateLimit: reader.optional(members["rateLimit"], (value) => readRateLimit(reader, value)),
    cors: reader.optional(members["cors"], (value) => readCors(reader, value)),
  });
  if (policyMembers.every((name) => members[name] === undefined) && reader.problems.length === 0)
    reader.report("", "the policy is empty: set authenticate, rules, default, ip, rateLimit or cors");
  return { policy, problems: reader.problems };
}

function readRule(reader: DocumentReader, value: unknown, path: string): Rule {
  const members: Members = reader.object(value, path, memberNames(ruleSchema)) ?? {};
  const rule = compact<Rule>({
    routes: reader.optional(members["routes"], (routes) => reader.texts(routes, `${path}.routes`)),
    methods: reader.optional(members["methods"], (methods) => readMethods(reader, methods, `${path}.methods`)),
    roles: reader.optional(members["roles"], (roles) => reader.texts(roles, `${path}.roles`)),
    public: reader.optional(members["public"], (isPublic) => reader.boolean(isPublic, `${path}.public`)),
  });
  if (rule.public === true && rule.roles !== undefined) reader.report(path, "a public rule does not check roles: remove public or roles");
  return rule;
}

function readMethods(reader: DocumentReader, value: unknown, path: string): readonly string[] | undefined {
  const methods = reader
    .list(value, path)
    ?.map((method, index) => reader.textMatching(method, `${path}[${index}]`, methodPattern, "must be a method such as POST"));
  return methods?.every((method) => method !== undefined) === true ? methods : undefined;
}

function readAddresses(reader: DocumentReader, value: unknown): Policy["ip"] {
  const members = reader.object(value, "ip", memberNames(addressesSchema)) ?? {};
  const networks = (name: string): readonly string[] | undefined =>
    reader.optional(members[name], (list) => {
      if (!Array.isArray(list)) return reader.report(`ip.${name}`, "must be a list");
      if (list.length > maxListLength) return reader.report(`ip.${name}`, `must not have more than ${maxListLength} entries`);
      if (name === "allow" && list.length === 0) return reader.report("ip.allow", "must not be empty: omit it to allow every address");
      return list.filter((network, index): network is string => {
        const isValid = typeof network === "string" && parseNetwork(network) !== undefined;
        if (!isValid) reader.report(`ip.${name}[${index}]`, "must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32");
        return isValid;
      });
    });
  return compact({ allow: networks("allow"), deny: networks("deny") });
}

function readRateLimit(reader: DocumentReader, value: unknown): RateLimit | undefined {
  const members = reader.object(value, "rateLimit", memberNames(rateLimitSchema)) ?? {};
  const limit = reader.integer(members["limit"], "rateLimit.limit", 1, 1_000_000_000);
  const windowSec = reader.integer(members["windowSec"], "rateLimit.windowSec", 1, 86_400 * 31);
  const by = reader.optional(members["by"], (key) => reader.oneOf(key, "rateLimit.by", rateLimitKeys));
  return limit === undefined || windowSec === undefined ? undefined : compact<RateLimit>({ limit, windowSec, by });
}

function readCors(reader: DocumentReader, value: unknown): Cors | undefined {
  const members = reader.object(value, "cors", memberNames(corsSchema)) ?? {};
  const headerNames = (name: string): readonly string[] | undefined =>
    reader.optional(members[name], (list) =>
      reader
        .list(list, `cors.${name}`)
        ?.map((item, index) => reader.textMatching(item, `cors.${name}[${index}]`, headerName, "must be the name of a header") ?? ""),
    );
  const origins = reader
    .list(members["origins"], "cors.origins")
    ?.map((origin, index) => reader.textMatching(origin, `cors.origins[${index}]`, originPattern, "must be an origin such as https://shop.example") ?? "");
  const cors = compact({
    origins,
    methods: reader.optional(members["methods"], (methods) => readMethods(reader, methods, "cors.methods")),
    headers: headerNames("headers"),
    exposeHeaders: headerNames("exposeHeaders"),
    credentials: reader.optional(members["credentials"], (credentials) => reader.boolean(credentials, "cors.credentials")),
    maxAgeSec: reader.optional(members["maxAgeSec"], (seconds) => reader.integer(seconds, "cors.maxAgeSec", 0, 86_400)),
  });
  if (origins?.includes("*") === true && cors.credentials === true)
    reader.report("cors.credentials", "cannot be combined with the origin '*': list the origins");
  return origins === undefined ? undefined : (cors as Cors);
}
