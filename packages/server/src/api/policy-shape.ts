// The schema of an access policy as returned: secrets as `***` with a fingerprint, environment references unchanged.
import { z } from "zod";
import { hmacPresets } from "../access/policy-document.ts";
import { shape } from "./endpoint.ts";

const words = (): z.ZodType => z.array(z.string());
const secret = (): z.ZodType => z.union([z.string(), z.looseObject({ env: z.string() })]);
const oneOrMore = (): z.ZodType => z.union([z.string(), words()]);

const schemeShapes = (): readonly z.ZodType[] => [
  z.looseObject({
    type: z.literal("apiKey"),
    in: z.enum(["header", "query"]).optional(),
    name: z.string().optional(),
    keys: z.array(
      z.looseObject({
        id: z.string(),
        key: secret(),
        fingerprint: z.string().optional(),
        roles: words().optional(),
        expiresAt: z.string().optional(),
      }),
    ),
  }),
  z.looseObject({
    type: z.literal("basic"),
    users: z.array(z.looseObject({ username: z.string(), password: secret(), fingerprint: z.string().optional(), roles: words().optional() })),
  }),
  z.looseObject({
    type: z.literal("jwt"),
    jwksUri: z.string(),
    issuer: oneOrMore().optional(),
    audience: oneOrMore().optional(),
    algorithms: words().optional(),
    rolesClaim: z.string().optional(),
    clockSkewSec: z.number().optional(),
    requireExp: z.boolean().optional().describe("If false, tokens without an expiry time are accepted."),
  }),
  z.looseObject({
    type: z.literal("hmac"),
    id: z.string().optional(),
    preset: z.enum(hmacPresets).optional(),
    secrets: z.array(z.looseObject({ env: z.string().optional(), value: z.string().optional(), fingerprint: z.string().optional() })),
    roles: words().optional(),
    toleranceSec: z.number().optional(),
    header: z.string().optional(),
    algorithm: z.string().optional(),
    encoding: z.string().optional(),
    prefix: z.string().optional(),
    template: z.string().optional(),
    timestampHeader: z.string().optional(),
  }),
];

export const policyShape = shape(
  () => ({
    flowId: z.string(),
    lastModified: z.string(),
    authenticate: z.array(z.union(schemeShapes())).optional(),
    rules: z
      .array(z.looseObject({ routes: words().optional(), methods: words().optional(), roles: words().optional(), public: z.boolean().optional() }))
      .optional(),
    default: z.enum(["deny", "allow"]).optional(),
    ip: z.looseObject({ allow: words().optional(), deny: words().optional() }).optional(),
    rateLimit: z.looseObject({ limit: z.number(), windowSec: z.number(), by: z.enum(["principal", "ip", "route"]).optional() }).optional(),
    cors: z
      .looseObject({
        origins: words(),
        methods: words().optional(),
        headers: words().optional(),
        exposeHeaders: words().optional(),
        credentials: z.boolean().optional(),
        maxAgeSec: z.number().optional(),
      })
      .optional(),
  }),
  "ShownPolicy",
);
