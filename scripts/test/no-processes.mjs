// Loaded before the unit tests: they open no socket and start no process, so that `npm run test:quick` stays quick and depends on nothing but the code.
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

const reject = (what) =>
  function rejected() {
    throw new Error(`a unit test must not ${what}: rename the file to *.live.test.ts, or test without`);
  };

net.Server.prototype.listen = reject("listen on a socket");
net.Socket.prototype.connect = reject("open a connection");
for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"]) childProcess[name] = reject("start a process");
syncBuiltinESMExports();
