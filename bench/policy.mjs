// npm run bench:policy — what an access policy adds to a webhook call: an API key, an HMAC over 1 KB, a token that was
// seen before. First the check alone, in this process, all interleaved; then whole calls over HTTP against the same
// flow without a policy, interleaved too, as processor time of the server per call.
import { createHmac, hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { Policies } from "../packages/server/dist/access/policies.js";
import { TokenBuckets } from "../packages/server/dist/access/token-buckets.js";
import { load, loadTool } from "./lib/load.mjs";
import { cpuMicros, put, startSluice, token as deployToken } from "./lib/processes.mjs";

const rounds = Number(process.argv[2] ?? 7);
const seconds = Number(process.argv[3] ?? 2);
const budgets = { apiKey: 10, hmac: 10, jwt: 100 };
const body = JSON.stringify({ id: "A-1001", note: "x".repeat(1024 - 24) });
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

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

/** Microseconds of one check, as the listener makes it. */
async function inProcess() {
  const directory = mkdtempSync(join(tmpdir(), "sluice-bench-policies-"));
  const monotonic = () => performance.now();
  const room = await Policies.open({
    directory: join(directory, "policies"),
    clientOf: ({ remoteAddress }) => remoteAddress,
    guesses: new TokenBuckets({ capacity: 50, refillMs: 6_000, maxKeys: 1_000, monotonic }),
    variable: () => undefined,
    now: () => Date.now(),
    monotonic,
    fetchText: () => Promise.resolve(keys),
    otherwise: () => undefined,
    isInstalled: () => true,
    hide: () => undefined,
    warn: () => undefined,
  });
  for (const name of names) await room.install(name, policies[name], undefined);
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
          const verdict = room.accessOf(request.flowId)?.check(request);
          return verdict?.kind === "needs-body" ? verdict.check(bytes) : verdict;
        },
      ];
    }),
  );
  // What no HMAC can do without: hashing the bytes once.
  calls.sha256 = () => hash("sha256", bytes, "hex");
  await calls.jwt();
  for (const name of names) if ((await calls[name]()).kind !== "granted") throw new Error(`${name} is refused`);
  const samples = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
  const batch = 2_000;
  for (let round = 0; round < 60; round++)
    for (const [name, call] of Object.entries(calls)) {
      // The processor's time, not the wall's: what else runs on the machine is not the policy's cost.
      const began = process.cpuUsage();
      for (let index = 0; index < batch; index++) call();
      const { user, system } = process.cpuUsage(began);
      if (round >= 10) samples[name].push((user + system) / batch);
    }
  rmSync(directory, { recursive: true, force: true });
  return Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, { median: median(list), least: Math.min(...list) }]));
}

/** Processor time of a process in microseconds, where the system tells; otherwise the wall's. */
const timeOf = (pid) => cpuMicros(pid) ?? performance.now() * 1000;

async function overHttp() {
  const sluice = await startSluice();
  try {
    for (const name of [...names, "none"])
      await put(sluice.baseUrl, name, `- route:\n    id: hook-${name}\n    from:\n      uri: webhook\n      steps:\n        - setBody: {constant: ok}\n`);
    for (const name of names) {
      const reply = await fetch(`${sluice.baseUrl}/_api/auth/${name}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${deployToken}` },
        body: JSON.stringify(policies[name]),
      });
      if (!reply.ok) throw new Error(await reply.text());
    }
    const run = (name, time) => load(`${sluice.baseUrl}/api/hook-${name}`, body, { seconds: time, headers: credentials[name] ?? {} });
    // The load tool blocks this process, and with it the issuer: the keys are fetched before.
    const first = await fetch(`${sluice.baseUrl}/api/hook-jwt`, { method: "POST", headers: credentials.jwt, body });
    if (first.status !== 200) throw new Error(`jwt: ${first.status} ${await first.text()}`);
    for (const name of [...names, "none"]) await run(name, 3);
    const added = Object.fromEntries(names.map((name) => [name, []]));
    console.log(`HTTP: ${loadTool()}, ${rounds} rounds of ${seconds} s each, 32 connections, body of ${body.length} bytes`);
    for (let round = 1; round <= rounds; round++) {
      const costs = {};
      for (const name of ["none", ...names]) {
        const began = timeOf(sluice.child.pid);
        const result = await run(name, seconds);
        // A busy machine may time a call out; a policy that refuses would refuse them all.
        if (result.failed > result.perSecond * seconds * 0.02) throw new Error(`${name}: ${result.failed} calls failed`);
        costs[name] = (timeOf(sluice.child.pid) - began) / (result.perSecond * seconds);
      }
      for (const name of names) added[name].push(costs[name] - costs.none);
      console.log(`round ${round}: ${["none", ...names].map((name) => `${name} ${costs[name].toFixed(1)} µs`).join(", ")}`);
    }
    return Object.fromEntries(names.map((name) => [name, median(added[name])]));
  } finally {
    await sluice.stop();
  }
}

try {
  const alone = await inProcess();
  for (const name of ["none", ...names, "sha256"])
    console.log(
      `${name === "sha256" ? "plain SHA-256 of the body" : `check ${name}`}: median ${alone[name].median.toFixed(2)} µs, least ${alone[name].least.toFixed(2)} µs`,
    );
  const http = rounds > 0 ? await overHttp() : {};
  for (const name of names) {
    const cost = alone[name].median - alone.none.median;
    console.log(
      `${name}: check ${cost.toFixed(2)} µs${rounds > 0 ? `, over HTTP ${http[name].toFixed(1)} µs per call` : ""}; at most ${budgets[name]} µs: ${cost < budgets[name] ? "holds" : "MISSED"}`,
    );
  }
  console.log(
    JSON.stringify({
      bench: "policy",
      checkMicroseconds: Object.fromEntries(names.map((name) => [name, alone[name].median - alone.none.median])),
      httpMicroseconds: http,
    }),
  );
} finally {
  issuer.close();
}
