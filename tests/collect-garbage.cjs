// Loaded into a watched runtime before it starts: collects its garbage when it is told to, so that memory somebody holds can be
// told from memory that V8 has not looked through yet.
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
