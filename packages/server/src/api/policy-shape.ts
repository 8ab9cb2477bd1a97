// The schema of an access policy as GET returns it: secrets are masked as `***` and have a fingerprint; references to environment variables are not masked.
import { z } from "zod";
import { hmacPresets } from "../access/policy-document.ts";
import { shape } from "./endpoint.ts";

const strings = (): z.ZodType => z.array(z.string());
const secret = (): z.ZodType => z.union([z.string(), z.looseObject({ env: z.string() })]);
const oneOrMore = (): z.ZodType => z.union([z.string(), strings()]);

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
        roles: strings().optional(),
        expiresAt: z.string().optional(),
      }),
    ),
  }),
  z.looseObject({
    type: z.literal("basic"),
    users: z.array(z.looseObject({ username: z.string(), password: secret(), fingerprint: z.string().optional(), roles: strings().optional() })),
  }),
  z.looseObject({
    type: z.literal("jwt"),
    jwksUri: z.string(),
    issuer: oneOrMore().optional(),
    audience: oneOrMore().optional(),
    algorithms: strings().optional(),
    rolesClaim: z.string().optional(),
    clockSkewSec: z.number().optional(),
    requireExp: z.boolean().optional().describe("If false, tokens without an expiry time are accepted."),
  }),
  z.looseObject({
    type: z.literal("hmac"),
    id: z.string().optional(),
    preset: z.enum(hmacPresets).optional(),
    secrets: z.array(z.looseObject({ env: z.string().optional(), value: z.string().optional(), fingerprint: z.string().optional() })),
    roles: strings().optional(),
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
      .array(z.looseObject({ routes: strings().optional(), methods: strings().optional(), roles: strings().optional(), public: z.boolean().optional() }))
      .optional(),
    default: z.enum(["deny", "allow"]).optional(),
    ip: z.looseObject({ allow: strings().optional(), deny: strings().optional() }).optional(),
    rateLimit: z.looseObject({ limit: z.number(), windowSec: z.number(), by: z.enum(["principal", "ip", "route"]).optional() }).optional(),
    cors: z
      .looseObject({
        origins: strings(),
        methods: strings().optional(),
        headers: strings().optional(),
        exposeHeaders: strings().optional(),
        credentials: z.boolean().optional(),
        maxAgeSec: z.number().optional(),
      })
      .optional(),
  }),
  "ShownPolicy",
);
