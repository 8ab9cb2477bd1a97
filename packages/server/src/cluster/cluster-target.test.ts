import { expect, it } from "vitest";
import { SettingsError } from "../config.ts";
import { readClusterTarget } from "./cluster-target.ts";

it("reads user and password of a NATS server", () => {
  expect(readClusterTarget("nats://me:p%40ss@h1:4222,h2/prod")).toEqual({
    store: "nats",
    servers: ["h1:4222", "h2"],
    user: "me",
    password: "p@ss",
    isTls: false,
    name: "prod",
  });
});

it.each(["nats://me:50%off@h1:4222", "nats://50%:secret@h1:4222", "postgres://me:50%de_off@h1/db"])(
  "rejects a stray percent sign in %s, with an error that names the setting but contains no credentials",
  (url) => {
    const read = (): unknown => readClusterTarget(url);
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(/^SERVICE_CLUSTER: .*%25/);
    expect(read).not.toThrow(/off|secret/);
  },
);

it("keeps a percent sign that the PostgreSQL client accepts", () => {
  expect(readClusterTarget("postgres://me:50%off@h1/db?cluster=prod")).toEqual({ store: "postgres", url: "postgres://me:50%off@h1/db", name: "prod" });
});
