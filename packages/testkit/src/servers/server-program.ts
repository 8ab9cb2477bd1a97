// How each server is started on the loopback interface, in its own folder.
import { execFileSync } from "node:child_process";
import { pbkdf2Sync } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Output that shows that the server is ready; undefined if an open port is enough. */
  readonly ready?: RegExp;
  /** Output that contains the port, for a server that chooses its port itself. */
  readonly port?: RegExp;
  /** The signal for a clean shutdown. */
  readonly signal?: NodeJS.Signals;
}

export interface ServerProgram {
  /** Its name in messages about skipped tests. */
  readonly title: string;
  /** The programs it needs. */
  readonly programs: readonly string[];
  /** Number of ports it needs in addition to the one that clients use. */
  readonly extraPorts?: number;
  /** The user it runs as when the test runs as root. */
  readonly user?: string;
  /** Writes its files, once. */
  prepare?(folder: string, port: number, program: (name: string) => string, owner: Owner | undefined): void;
  launch(folder: string, port: number, program: (name: string) => string, extraPorts: readonly number[]): Launch;
  /** Differences when the server's data need not survive a crash. */
  readonly notDurable?: Partial<Pick<ServerProgram, "prepare" | "launch">>;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The path of a program: on the PATH, or where Debian installs PostgreSQL and system administration programs. */
export function findProgram(name: string): string | undefined {
  const versions = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql").map((version) => `/usr/lib/postgresql/${version}/bin`) : [];
  const folders = [...versions, ...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** A user whose password is checked by servers that otherwise need no credentials: NATS, Mosquitto, and PostgreSQL once the role exists. */
export const guardedUser = { name: "guarded", password: "right-password" } as const;

/** Arguments that fit tests: they kill servers but never cut the power, so waiting for the disk would only cost time. */
const fastArgs = {
  postgres: ["-c", "fsync=off", "-c", "full_page_writes=off"],
  mariadb: ["--innodb-flush-log-at-trx-commit=2", "--innodb-log-file-size=32M", "--innodb-buffer-pool-size=32M"],
};

/**
 * JetStream's configuration. By default the limit of its storage is a part of the free disk space, so streams could not be created on a full disk; they
 * reserve far more than the tests store.
 */
export const jetstreamConfig = (folder: string): string => `jetstream {store_dir: ${JSON.stringify(join(folder, "store"))}, max_mem: 1GB, max_file: 100TB}\n`;

function launchRedis(folder: string, port: number, program: (name: string) => string, storage: readonly string[]): Launch {
  return {
    command: program("redis-server"),
    args: ["--port", String(port), "--bind", "127.0.0.1", ...storage, "--dir", folder],
    ready: /Ready to accept connections/,
  };
}

function prepareMosquitto(folder: string, port: number, autosaveLines: readonly string[]): void {
  const salt = Buffer.alloc(12, "salt");
  const hash = pbkdf2Sync(guardedUser.password, salt, 101, 64, "sha512");
  writeFileSync(join(folder, "passwords"), `${guardedUser.name}:$7$101$${salt.toString("base64")}$${hash.toString("base64")}\n`, { mode: 0o644 });
  const lines = [`listener ${port} 127.0.0.1`, "allow_anonymous true", "max_queued_messages 100000", "persistence true", `persistence_location ${folder}/`];
  lines.push(`password_file ${join(folder, "passwords")}`, ...autosaveLines, "log_dest stderr", "");
  writeFileSync(join(folder, "mosquitto.conf"), lines.join("\n"));
}

export const serverPrograms = {
  postgres: {
    title: "PostgreSQL",
    programs: ["initdb", "postgres"],
    // PostgreSQL refuses to run as root.
    user: "postgres",
    prepare(folder, _port, program, owner) {
      execFileSync(program("initdb"), ["-A", "trust", "-U", "postgres", "-N", "-D", join(folder, "data")], { stdio: "pipe", cwd: folder, ...owner });
      const rules = join(folder, "data", "pg_hba.conf");
      writeFileSync(rules, `host all ${guardedUser.name} 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, "utf8")}`);
    },
    launch: (folder, port, program) => ({
      command: program("postgres"),
      args: [
        "-D",
        join(folder, "data"),
        "-p",
        String(port),
        "-k",
        folder,
        "-c",
        "listen_addresses=127.0.0.1",
        "-c",
        "max_connections=200",
        ...fastArgs.postgres,
      ],
      ready: /database system is ready to accept connections/,
      signal: "SIGINT",
    }),
  },
  mariadb: {
    title: "MariaDB",
    programs: ["mariadb-install-db", "mariadbd"],
    user: "mysql",
    prepare(folder, _port, program, owner) {
      const args = [`--datadir=${join(folder, "data")}`, "--auth-root-authentication-method=normal", "--skip-test-db", ...fastArgs.mariadb];
      execFileSync(program("mariadb-install-db"), args, { stdio: "pipe", cwd: folder, ...owner });
    },
    launch: (folder, port, program) => ({
      command: program("mariadbd"),
      args: [
        "--no-defaults",
        `--datadir=${join(folder, "data")}`,
        `--port=${port}`,
        "--bind-address=127.0.0.1",
        `--socket=${join(folder, "socket")}`,
        `--pid-file=${join(folder, "pid")}`,
        ...fastArgs.mariadb,
      ],
      ready: /ready for connections/,
    }),
  },
  redis: {
    title: "Redis",
    programs: ["redis-server"],
    launch: (folder, port, program) => launchRedis(folder, port, program, ["--appendonly", "yes", "--appendfsync", "always"]),
    notDurable: { launch: (folder, port, program) => launchRedis(folder, port, program, ["--save", "", "--appendonly", "no"]) },
  },
  rabbitmq: {
    title: "RabbitMQ",
    programs: ["rabbitmq-server", "epmd"],
    user: "rabbitmq",
    extraPorts: 2,
    prepare(folder, port) {
      writeFileSync(join(folder, "rabbit.conf"), `listeners.tcp.1 = 127.0.0.1:${port}\n`);
      writeFileSync(join(folder, "plugins"), "[rabbitmq_amqp1_0].\n");
    },
    launch: (folder, port, program, [nodePort, epmdPort]) => ({
      // Otherwise Erlang's epmd would be started in the background and outlive the server.
      command: "/bin/sh",
      args: ["-c", `"${program("epmd")}" & exec "${program("rabbitmq-server")}"`],
      env: {
        HOME: folder,
        RABBITMQ_NODENAME: `test${port}@localhost`,
        RABBITMQ_MNESIA_BASE: join(folder, "mnesia"),
        RABBITMQ_LOG_BASE: join(folder, "log"),
        RABBITMQ_CONFIG_FILE: join(folder, "rabbit.conf"),
        RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
        RABBITMQ_DIST_PORT: String(nodePort),
        ERL_EPMD_PORT: String(epmdPort),
        // Idle schedulers would otherwise spin, at the expense of the test.
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "+sbwt none +sbwtdcpu none +sbwtdio none",
      },
    }),
  },
  mosquitto: {
    title: "Mosquitto",
    programs: ["mosquitto"],
    user: "mosquitto",
    prepare: (folder, port) => prepareMosquitto(folder, port, ["autosave_on_changes true", "autosave_interval 1"]),
    notDurable: { prepare: (folder, port) => prepareMosquitto(folder, port, []) },
    launch: (folder, _port, program) => ({ command: program("mosquitto"), args: ["-c", join(folder, "mosquitto.conf")] }),
  },
  nats: {
    title: "NATS",
    programs: ["nats-server"],
    prepare(folder) {
      const { name, password } = guardedUser;
      const permissions = '{publish: {deny: ["denied.>"]}, subscribe: {deny: ["unreadable.>"]}}';
      const users = `[{user: anyone, password: anything, permissions: ${permissions}}, {user: ${name}, password: ${password}}]`;
      writeFileSync(join(folder, "nats.conf"), `${jetstreamConfig(folder)}authorization {users: ${users}}\nno_auth_user: anyone\n`);
    },
    launch: (folder, port, program) => ({
      command: program("nats-server"),
      args: ["-c", join(folder, "nats.conf"), "-a", "127.0.0.1", "-p", String(port)],
      ready: /Server is ready/,
    }),
  },
  kafka: {
    title: "kcat",
    // kcat's built-in mock broker: it chooses its port and stores no data.
    programs: ["kcat"],
    launch: (_folder, _port, program) => ({
      command: "/bin/sh",
      args: ["-c", `sleep 99999 | exec "${program("kcat")}" -P -b x:1 -t seed -X test.mock.num.brokers=1 -d mock`],
      port: /bootstrap\.servers=[^\s:]*:(\d+)/,
      signal: "SIGKILL",
    }),
  },
} satisfies Record<string, ServerProgram>;

export type ServerName = keyof typeof serverPrograms;
