// Preloaded with NODE_OPTIONS: a worker that starts while the file HOLD_WORKERS exists waits until it is removed.
const { existsSync } = require("node:fs");

const file = process.env.HOLD_WORKERS;
const isWorker = process.env.NODE_UNIQUE_ID !== undefined;
const lock = new Int32Array(new SharedArrayBuffer(4));
// real time: polls for the file.
while (isWorker && file !== undefined && existsSync(file)) Atomics.wait(lock, 0, 0, 20);
