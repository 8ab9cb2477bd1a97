// Runs the bundle until the runtime listens, then keeps what V8 compiled on the way.
const { renameSync, writeFileSync } = require("node:fs");
const { cache, runBundle } = require("../packages/cli/bin/bundle.cjs");

const settleMs = 300;
const script = runBundle();
const waiting = setInterval(() => {
  if (!process.getActiveResourcesInfo().includes("TCPServerWrap")) return;
  clearInterval(waiting);
  setTimeout(keep, settleMs);
}, 20);

function keep() {
  writeFileSync(`${cache}.next`, script.createCachedData());
  renameSync(`${cache}.next`, cache);
  process.exit(0);
}
