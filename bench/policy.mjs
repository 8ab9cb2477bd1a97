// npm run bench:policy — the cost that an access policy adds to a webhook call: an API key, an HMAC over 1 KB, a cached token. First only the check
// in this process, interleaved; then complete calls over HTTP, paired with the same bytes to a flow without a policy.
import { createHmac, hash } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { Policies } from "../packages/server/dist/access/policies.js";
import { noPrecondition } from "../packages/server/dist/precondition.js";
import { TokenBuckets } from "../packages/server/dist/access/token-buckets.js";
import { median } from "./lib/figures.mjs";
import { temporaryFolder } from "./lib/cleanup.mjs";
import { measurePairs, postMessage } from "./lib/paired.mjs";
import { put, putDocument, startSluice } from "./lib/processes.mjs";
import { printResult, requireLinux } from "./lib/result.mjs";
import { numbersOf } from "./lib/usage.mjs";

requireLinux();
const [rounds] = numbersOf("policy", { name: "rounds, 0 to skip HTTP", usual: 100, short: 3, min: 0 });
const budgets = { apiKey: 10, hmac: 30, jwt: 100 };
const body = JSON.stringify({ id: "A-1001", note: "x".repeat(1024 - 24) });

const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "k", alg: "RS256" }] });
const issuer = createServer((_request, response) => response.end(keys));
await new Promise((resolve) => issuer.listen(0, "127.0.0.1", resolve));
const bearer = await new SignJWT({ roles: ["orders.write"] })
  .setProtectedHeader({ alg: "RS256", kid: "k" })
  .setSubject("ada")
  .setIssuer("https://idp.example")
  .setAudience("sluice")
  .setExpirationTime("1h")
  .sign(privateKey);

const rules = [{ routes: ["order-*", "hook-*"], methods: ["POST"], roles: ["orders.write"] }];
const policies = {
  apiKey: {
    authenticate: [
      {
        type: "apiKey",
        keys: Array.from({ length: 100 }, (_, index) => ({ id: `k${index}`, key: `s3cr3t-${index}-abcdefghijklmnop`, roles: ["orders.write"] })),
      },
    ],
    rules,
  },
  hmac: { authenticate: [{ type: "hmac", preset: "github", secrets: ["a-signing-secret"], roles: ["orders.write"] }], rules },
  jwt: {
    authenticate: [
      { type: "jwt", issuer: "https://idp.example", audience: "sluice", jwksUri: `http://127.0.0.1:${issuer.address().port}/`, rolesClaim: "roles" },
    ],
    rules,
  },
};
const credentials = {
  apiKey: { "X-API-Key": "s3cr3t-42-abcdefghijklmnop" },
  hmac: { "X-Hub-Signature-256": `sha256=${createHmac("sha256", "a-signing-secret").update(body).digest("hex")}` },
  jwt: { Authorization: `Bearer ${bearer}` },
};
const names = Object.keys(policies);

/** Microseconds of one check, as the listener performs it. */
async function measureChecks() {
  const directory = temporaryFolder("policies");
  const monotonic = () => performance.now();
  const policySet = await Policies.open({
    directory: join(directory, "policies"),
    clientOf: ({ remoteAddress }) => remoteAddress,
    failedAttempts: new TokenBuckets({ capacity: 50, refillMs: 6_000, maxKeys: 1_000, monotonic }),
    variable: () => undefined,
    now: () => Date.now(),
    monotonic,
    fetchText: () => Promise.resolve(keys),
    defaultCheck: () => undefined,
    isInstalled: () => true,
    registerSecrets: () => undefined,
    error: (text) => {
      throw new Error(text);
    },
    info: () => undefined,
  });
  for (const name of names) await policySet.install(name, policies[name], noPrecondition);
  const bytes = Buffer.from(body);
  const common = [
    "Host",
    "127.0.0.1:8080",
    "User-Agent",
    "bench/1.0",
    "Accept",
    "*/*",
    "Content-Type",
    "application/json",
    "Content-Length",
    String(bytes.length),
  ];
  const requestOf = (name) => ({
    flowId: name,
    routeId: "order-intake",
    method: "POST",
    path: "/api/order-intake",
    query: "",
    rawHeaders: [...common, ...Object.entries(credentials[name] ?? {}).flat()],
    remoteAddress: "127.0.0.1",
  });
  const calls = Object.fromEntries(
    [...names, "none"].map((name) => {
      const request = requestOf(name);
      return [
        name,
        () => {
          const decision = policySet.accessOf(request.flowId)?.check(request);
          return decision?.kind === "needs-body" ? decision.check(bytes) : decision;
        },
      ];
    }),
  );
  // The lower bound of an HMAC: hashing the bytes once.
  calls.sha256 = () => hash("sha256", bytes, "hex");
  await calls.jwt();
  for (const name of names) if ((await calls[name]()).kind !== "granted") throw new Error(`${name} was rejected`);
  const samples = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
  const batch = 2_000;
  for (let round = 0; round < 60; round++)
    for (const [name, call] of Object.entries(calls)) {
      // CPU time, because other load on the machine is not a cost of the policy.
      const cpuBefore = process.cpuUsage();
      for (let index = 0; index < batch; index++) call();
      const { user, system } = process.cpuUsage(cpuBefore);
      if (round >= 10) samples[name].push((user + system) / batch);
    }
  return Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, { median: median(list), min: Math.min(...list) }]));
}

/** Complete calls: the same bytes to the same flow, with and without a policy. */
async function measureCalls() {
  const sluice = await startSluice();
  try {
    for (const name of [...names, "none"])
      await put(sluice.baseUrl, name, `- route:\n    id: hook-${name}\n    from:\n      uri: webhook\n      steps:\n        - setBody: {constant: ok}\n`);
    for (const name of names) await putDocument(sluice.baseUrl, `auth/${name}`, policies[name]);
    const pairs = names.map((name) => ({
      name,
      plain: postMessage("/api/hook-none", body, credentials[name]),
      extended: postMessage(`/api/hook-${name}`, body, credentials[name]),
    }));
    console.log(`HTTP: ${rounds} rounds of 1,000 calls each, 32 connections, body of ${body.length} bytes, CPU time of the server`);
    return await measurePairs(sluice, pairs, { rounds });
  } finally {
    await sluice.stop();
  }
}

try {
  const checks = await measureChecks();
  for (const name of ["none", ...names, "sha256"])
    console.log(
      `${name === "sha256" ? "plain SHA-256 of the body" : `check ${name}`}: median ${checks[name].median.toFixed(2)} µs, min ${checks[name].min.toFixed(2)} µs`,
    );
  const http = rounds > 0 ? await measureCalls() : undefined;
  for (const name of names) {
    const cost = http?.[name].added ?? checks[name].median - checks.none.median;
    const call = http === undefined ? "" : ` of ${http[name].plain.toFixed(1)} µs per call (95%: ${http[name].min.toFixed(1)} to ${http[name].max.toFixed(1)})`;
    console.log(`${name}: adds ${cost.toFixed(2)} µs${call}; budget ${budgets[name]} µs: ${cost < budgets[name] ? "met" : "MISSED"}`);
  }
  printResult("policy", {
    checkMicroseconds: Object.fromEntries(names.map((name) => [name, checks[name].median])),
    hmacRatio: checks.hmac.median / checks.sha256.median,
    http,
  });
} finally {
  issuer.close();
}
