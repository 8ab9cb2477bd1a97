// Connections through sentinels and with client certificates, with real servers.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, flow, freePort, realTimeHost, serverFor, testConnections, type FakeHost } from "@sluice/testkit";
import { redis } from "./redis-connection.ts";
import { springRedisConnector } from "./spring-redis.ts";

const master = await serverFor("redis", { own: true });
const hasOpenssl = isInstalled("openssl");
const folder = mkdtempSync(join(tmpdir(), "sluice-redis-"));
const children: ChildProcess[] = [];
const cleanUps: (() => Promise<unknown>)[] = [];
const load = async (clientPackage: { readonly package: string }): Promise<unknown> => createRequire(import.meta.url)(clientPackage.package);

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function startRedis(...args: readonly string[]): void {
  children.push(spawn("redis-server", args, { cwd: folder, stdio: "ignore" }));
}

function clientOf(port: number): Redis {
  const client = new Redis(port, { lazyConnect: true });
  client.on("error", () => undefined);
  cleanUps.push(async () => client.disconnect());
  return client;
}

/** Returns a function that sets a key through a connection with these values and resolves with the error, if any. */
async function keySetter(values: Readonly<Record<string, string>>): Promise<(key: string) => Promise<string | undefined>> {
  const host = realTimeHost();
  const connections = testConnections(host, { cache: { declaration: redis, values: { connectTimeout: "60s", ...values } } }, load);
  cleanUps.push(() => connections.close());
  const route = await flow(`- to: "spring-redis:ignored:1?command=SET&connectionFactory=#cache"`, {
    host: Object.assign(host, { connections }) as unknown as FakeHost,
    connectors: [springRedisConnector(undefined)],
  });
  return async (key) => (await route({ body: null, headers: { "CamelRedis.Key": key, "CamelRedis.Value": `value of ${key}` } })).error;
}

/** Redis rejects commands while it starts and during a failover. */
const orFalse = (check: () => Promise<boolean>) => (): Promise<boolean> => check().catch(() => false);

describe.skipIf(master === undefined)("a Redis connection (needs Redis)", () => {
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    for (const child of children) child.kill("SIGKILL");
    await master?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it("rejects a certificate without TLS instead of connecting unencrypted", async () => {
    const values = { port: String(master?.port), tlsCa: "-----BEGIN CERTIFICATE-----" };
    expect(await (await keySetter(values))("plain")).toContain("tlsCa is set, but tls is off");
    expect(await (await keySetter({ ...values, tlsCa: "" }))("plain")).toBeUndefined();
  });

  describe("through sentinels", () => {
    const { port: masterPort = 0 } = master ?? {};
    let replicaPort: number;
    let sentinelPort: number;
    let sentinel: Redis;

    beforeAll(async () => {
      [replicaPort, sentinelPort] = [await freePort(), await freePort()];
      const monitored = clientOf(masterPort);
      await monitored.call("CONFIG", "SET", "repl-diskless-sync-delay", "0");
      startRedis("--port", String(replicaPort), "--replicaof", "127.0.0.1", String(masterPort), "--save", "", "--dbfilename", "replica.rdb");
      const configuration = [
        `port ${sentinelPort}`,
        `sentinel monitor orders 127.0.0.1 ${masterPort} 1`,
        "sentinel down-after-milliseconds orders 1000",
        "sentinel failover-timeout orders 10000",
      ];
      writeFileSync(join(folder, "sentinel.conf"), configuration.join("\n"));
      // A sentinel asks the master for its replicas when it starts, and then every ten seconds.
      await eventually(orFalse(async () => String(await monitored.call("INFO", "replication")).includes("state=online")));
      startRedis(join(folder, "sentinel.conf"), "--sentinel");
      sentinel = clientOf(sentinelPort);
      await eventually(orFalse(async () => ((await sentinel.call("SENTINEL", "REPLICAS", "orders")) as unknown[]).length === 1));
    });

    it("uses the current master, and the new one after a failover", async () => {
      // The first sentinel does not respond.
      const set = await keySetter({ sentinels: `127.0.0.1:1, 127.0.0.1:${sentinelPort}`, masterName: "orders" });
      expect(await set("before")).toBeUndefined();
      expect(await clientOf(masterPort).get("before")).toBe("value of before");
      await eventually(orFalse(async () => (await sentinel.call("SENTINEL", "FAILOVER", "orders")) === "OK"));
      const masterOf = async () => (await sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "orders")) as string[];
      await eventually(orFalse(async () => (await masterOf())[1] === String(replicaPort)));
      // The old master accepts commands until the sentinel demotes it, which takes several seconds.
      const oldMaster = clientOf(masterPort);
      await oldMaster.call("REPLICAOF", "127.0.0.1", String(replicaPort));
      await oldMaster.call("CLIENT", "KILL", "TYPE", "normal").catch(() => undefined);
      const newMaster = clientOf(replicaPort);
      await eventually(orFalse(async () => (await set("after")) === undefined && (await newMaster.get("after")) === "value of after"));
      expect(String(await newMaster.call("ROLE"))).toMatch(/^master/);
    });

    it.each([
      [{ sentinels: "127.0.0.1:1", masterName: "orders" }, "All sentinels are unreachable"],
      [{ sentinels: "one two", masterName: "orders" }, "'one two' is not the address of a sentinel: write host:port, and separate several with commas"],
    ])("rejects %j", async (values, problem) => {
      expect(await (await keySetter(values))("x")).toContain(problem);
    });
  });

  it("connects to its url, with user, password and database", async () => {
    const port = await freePort();
    startRedis("--port", String(port), "--save", "", "--user", "default", "off", "--user", "shop", "on", ">p@ss/word", "~*", "&*", "+@all");
    const set = await keySetter({ url: `redis://shop:p%40ss%2Fword@127.0.0.1:${port}/3`, host: "no-such-host.invalid", database: "1" });
    await eventually(async () => (await set("by url")) === undefined);
    const client = new Redis(port, { username: "shop", password: "p@ss/word", db: 3 });
    cleanUps.push(async () => client.disconnect());
    expect(await client.get("by url")).toBe("value of by url");
    const rejection = await (await keySetter({ url: `redis://shop:secret@127.0.0.1:${port}` }))("x");
    expect(rejection).toMatch(/WRONGPASS/);
    for (const url of ["http://127.0.0.1:6379", "redis://:secret@/1", "redis://host/orders"])
      expect(await (await keySetter({ url }))("x")).toMatch(/url is not the address of a Redis server: write redis:(?!.*secret)/);
  });

  it.skipIf(!hasOpenssl)("presents its client certificate (needs openssl)", async () => {
    const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"];
    execFileSync("openssl", ["req", "-x509", ...curve, ...subject, "-keyout", key, "-out", certificate], { stdio: "ignore" });
    const port = await freePort();
    const files = ["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate];
    startRedis("--port", "0", "--tls-port", String(port), ...files, "--tls-auth-clients", "yes", "--save", "");
    const trusted = { port: String(port), tls: "true", tlsCa: readFileSync(certificate, "utf8") };
    const clientCertificate = { tlsCert: readFileSync(certificate, "utf8"), tlsKey: readFileSync(key, "utf8") };
    const set = await keySetter({ ...trusted, ...clientCertificate });
    await eventually(orFalse(async () => (await set("secured")) === undefined));
    const { port: _port, tls: _tls, ...other } = trusted;
    expect(await (await keySetter({ ...other, ...clientCertificate, url: `rediss://localhost:${port}` }))("by url")).toBeUndefined();
    expect(await (await keySetter(trusted))("anonymous")).toMatch(/certificate|ECONNRESET|closed/i);
    expect(await (await keySetter({ ...trusted, ...clientCertificate, tlsCa: "" }))("untrusted")).toMatch(/self-signed certificate/);
  });
});
