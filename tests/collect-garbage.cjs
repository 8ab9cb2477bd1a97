// Loaded into a watched runtime before it starts: runs garbage collection on request, so that leaked memory can be distinguished from memory that
// was not collected yet.
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");

let collect;
process.on("SIGUSR2", () => {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc");
  }
  collect();
});
