// Loaded into a watched runtime before it starts: runs garbage collection on request, so that leaked memory can be distinguished from memory that
// was not collected yet. The title of the process shows the number of collections: it needs neither disk nor descriptors, which faults use up.
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");

let collect;
let collections = 0;
process.on("SIGUSR2", () => {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc");
  }
  // The second collection completes the release that threads began after the first.
  collect();
  collect();
  process.title = `collected ${++collections}`;
});
