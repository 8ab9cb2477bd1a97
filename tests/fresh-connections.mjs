// A separate process that makes requests on new connections until its input has ended and the port is closed, and prints how many times each result
// occurred: a status, `refused` when the port was closed, or the error code. Prints an empty line after the first reply.
import { request } from "node:http";

const [url, atOnce] = process.argv.slice(2);
const outcomes = {};
let isRunning = true;

const makeRequest = () =>
  new Promise((resolve) => {
    const outgoing = request(url, { method: "POST", agent: false }, (incoming) =>
      incoming
        .resume()
        .on("end", () => resolve(String(incoming.statusCode)))
        .on("error", (error) => resolve(`reply ${error.code}`)),
    );
    outgoing.on("error", (error) => resolve(error.code === "ECONNREFUSED" ? "refused" : error.code));
    outgoing.end("x");
  });

async function loop() {
  for (let isOpen = true; isRunning || isOpen;) {
    const outcome = await makeRequest();
    if (outcome === "200" && outcomes["200"] === undefined) process.stdout.write("\n");
    isOpen = outcome !== "refused";
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    // real time: the pace of the load.
    if (outcome === "refused") await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const loops = Array.from({ length: Number(atOnce) }, loop);
process.stdin.resume().on("end", async () => {
  isRunning = false;
  await Promise.all(loops);
  process.stdout.write(JSON.stringify(outcomes), () => process.exit(0));
});
