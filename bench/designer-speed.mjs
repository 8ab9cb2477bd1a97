// npm run bench:designer — rendering and input latency of the designer in a real Chromium: rendering 500 steps, opening a flow of 500 steps, and
// key to screen with 300 steps. Medians are compared with the budgets; needs a built repository. With --trace-minutes 10: frame rate and memory with
// 500 trace events per second on the cards. Wall-clock times show how long users wait; CPU times are less affected by a busy machine.
import { existsSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { startDesigner } from "@sluice/designer/server";
import { readConfiguration, startServer } from "@sluice/server";
import { chromium } from "playwright-core";
import { median } from "./lib/figures.mjs";
import { temporaryFolder } from "./lib/cleanup.mjs";
import { endUnavailable, exitCodes, printResult } from "./lib/result.mjs";
import { argumentsOf } from "./lib/usage.mjs";

const { rounds, traceMinutes } = argumentsOf("designer", {
  usage: "[rounds] (default 7, or none when tracing) [--trace-minutes [minutes] (default 10)]",
  short: ["1", "--trace-minutes", "0.1"],
  read: readArguments,
});

function readArguments(values) {
  const traceAt = values.indexOf("--trace-minutes");
  const isTracing = traceAt >= 0;
  const [given, ...extra] = isTracing ? values.slice(0, traceAt) : values;
  const minutes = isTracing ? Number(values[traceAt + 1] ?? 10) : 0;
  const count = Number(given ?? (isTracing ? 0 : 7));
  return extra.length === 0 && values.length <= (isTracing ? traceAt + 2 : 1) && count >= 0 && minutes >= 0
    ? { rounds: count, traceMinutes: minutes }
    : undefined;
}

const programs = ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`);
const executablePath = process.env.CHROMIUM ?? programs.find((program) => existsSync(program));
if (executablePath === undefined) endUnavailable("This benchmark needs Chromium.");
const budgets = { drawn: 150, opened: 500, key: 50, fixed: 100, eventsPerSecond: 500, framesPerSecond: 30, memoryGrowth: 1.1 };
const token = "bench";
const memories = [];
const folder = temporaryFolder("designer");
mkdirSync(join(folder, "workspace/flows"), { recursive: true });

/** A flow with this many steps: mostly plain ones, every tenth a choice with two branches. */
function flowOf(id, steps) {
  const lines = [`- route:`, `    id: ${id}`, `    from:`, `      uri: direct:${id}`, `      steps:`];
  for (let count = 0; count < steps; count++) {
    if (count % 10 === 9 && count + 2 < steps) {
      lines.push(`        - choice:`, `            when:`, `              - simple: "\${body} == ${count}"`, `                steps:`);
      lines.push(
        `                  - log: {message: "large ${count}"}`,
        `            otherwise:`,
        `              steps:`,
        `                - to: mock:${count}`,
      );
      count += 2;
    } else lines.push(`        - setHeader:`, `            name: h${count}`, `            simple: "\${body} ${count}"`);
  }
  return `${lines.join("\n")}\n`;
}

for (const [id, steps] of [
  ["small", 3],
  ["large", 500],
  ["middle", 300],
])
  writeFileSync(join(folder, `workspace/flows/${id}.yaml`), flowOf(id, steps));

const server = await startServer(
  readConfiguration({}, { SERVICE_PORT: "0", SERVICE_DEPLOY_TOKEN: token, SERVICE_DATA_DIR: join(folder, "data") }),
  openSync(join(folder, "output"), "a"),
);
const designer = await startDesigner({
  port: 0,
  workspace: join(folder, "workspace"),
  targets: [{ name: "local", baseUrl: server.baseUrl, tokenEnv: "TOKEN" }],
  environment: { TOKEN: token },
});
const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
  ],
});

if (loadavg()[0] > 1) console.log(`The load average is ${loadavg()[0].toFixed(1)}: the results below are unreliable`);

let hasMissedBudget = false;
const figures = {};
function report(what, { times, cpuMs }, budget) {
  const medianMs = median(times);
  const worst = Math.max(...times);
  hasMissedBudget ||= !(medianMs < budget);
  figures[what] = { ms: medianMs, budgetMs: budget, share: medianMs / budget };
  const work = cpuMs === undefined ? "" : `; ${cpuMs.toFixed(1)} ms of CPU time`;
  console.log(
    `${medianMs.toFixed(1).padStart(8)} ms  ${medianMs < budget ? "under" : "OVER "} ${budget} ms  (worst ${worst.toFixed(1)} of ${times.length}${work})  ${what}`,
  );
}

try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  // Leaving with unsaved changes opens a dialog.
  page.on("dialog", (dialog) => void dialog.accept());
  const tools = await page.context().newCDPSession(page);
  await tools.send("Performance.enable", { timeDomain: "threadTicks" });
  if (rounds > 0) await measureDrawingAndTyping(page, tools);
  if (traceMinutes > 0) await measureTracing(page, tools);
} finally {
  await browser.close();
  await designer.close();
  await server.stop();
}
printResult("designer", { ...figures });
if (hasMissedBudget) process.exitCode = exitCodes.missedGoal;

async function metric(tools, name) {
  const { metrics } = await tools.send("Performance.getMetrics");
  return metrics.find((entry) => entry.name === name)?.value ?? 0;
}

/** Calls `run`, which repeats an action; returns the durations and the average CPU time of the page's thread. */
async function measureWork(tools, run) {
  const before = await metric(tools, "TaskDuration");
  const times = await run();
  return { times, cpuMs: (((await metric(tools, "TaskDuration")) - before) * 1000) / times.length };
}

async function measureDrawingAndTyping(page, tools) {
  await page.goto(`${designer.url}/flows/small`);
  await page.getByRole("treeitem").first().waitFor();
  await page.getByRole("button", { name: "Add step" }).click();
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Escape");
  report("500 steps drawn: from the click on Canvas to the frame that shows them", await measureDrawing(page, tools), budgets.drawn);
  report("a flow of 500 steps opened: from its text to the frame that shows it", { times: await measureOpening(page) }, budgets.opened);
  await page.goto(`${designer.url}/flows/middle`);
  await page.getByRole("treeitem").nth(150).click();
  const pressTwentyTimes = (key) =>
    measureWork(tools, () =>
      timeKeys(
        page,
        Array.from({ length: 20 }, () => key),
      ),
    );
  report("key to screen at 300 steps: moving with the arrow keys", await pressTwentyTimes("ArrowDown"), budgets.key);
  report("key to screen at 300 steps: disabling and enabling a step", await pressTwentyTimes("d"), budgets.key);
  await page.locator(".editor__inspector textarea").first().focus();
  report("key to screen at 300 steps: typing into the form", await measureWork(tools, () => timeKeys(page, Array.from("abcdefghijklmnopqrst"))), budgets.key);
  report("the canvas visible again after the source of 300 steps is fixed", { times: await measureFixing(page) }, budgets.fixed);
}

/** Sends messages through a deployed flow whose cards are visible; every step and every run ends with one event. */
async function measureTracing(page, tools) {
  const steps = 49;
  const lines = Array.from({ length: steps }, (_, index) => `        - setHeader: {name: h${index}, simple: "\${body} ${index}"}`);
  const flow = [`- route:`, `    id: traced`, `    from:`, `      uri: webhook`, `      steps:`, ...lines].join("\n");
  writeFileSync(join(folder, "workspace/flows/traced.yaml"), flow);
  await page.goto(`${designer.url}/flows/traced`);
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.getByRole("status").filter({ hasText: "Deployed" }).waitFor();
  const everyMs = (1000 * (steps + 1)) / budgets.eventsPerSecond;
  const start = performance.now();
  let sent = 0;
  // Paced by the clock, not by counting timer ticks, which are late on a busy machine.
  const send = () => {
    for (; sent < (performance.now() - start) / everyMs; sent++)
      fetch(`${server.baseUrl}/api/traced`, { method: "POST", body: "x" }).then(
        (reply) => reply.arrayBuffer(),
        () => undefined,
      );
  };
  const sending = setInterval(send, everyMs / 2);
  try {
    await page.locator(".card__seen").first().waitFor();
    await page.evaluate(() => {
      window.frameCount = 0;
      const count = () => {
        window.frameCount++;
        requestAnimationFrame(count);
      };
      requestAnimationFrame(count);
    });
    const countMessages = () => page.evaluate(() => Number(/(\d+) message/.exec(document.querySelector(".card__seen").title)?.[1] ?? 0));
    const memory = async () => {
      await tools.send("HeapProfiler.collectGarbage");
      return (await metric(tools, "JSHeapUsedSize")) / 1e6;
    };
    const sample = async () => ({ at: performance.now(), frames: await page.evaluate(() => window.frameCount), messages: await countMessages() });
    const partMs = Math.min(10_000, traceMinutes * 10_000);
    const parts = [];
    let before = await sample();
    const first = before;
    for (let minute = 0; minute < traceMinutes; minute++) {
      for (let part = 0; part < 6; part++) {
        await page.waitForTimeout(partMs);
        const now = await sample();
        parts.push(((now.frames - before.frames) * 1000) / (now.at - before.at));
        before = now;
      }
      const [heap, nodes] = [await memory(), await metric(tools, "Nodes")];
      memories.push(heap);
      console.log(`minute ${minute + 1}: ${median(parts.slice(-6)).toFixed(1)} frames/s, ${heap.toFixed(1)} MB in use after collection, ${nodes} nodes`);
    }
    const rate = ((before.messages - first.messages) * (steps + 1) * 1000) / (before.at - first.at);
    const growth = memories.at(-1) / memories[0];
    const slowest = Math.min(...parts);
    hasMissedBudget ||= slowest < budgets.framesPerSecond || growth > budgets.memoryGrowth || rate < budgets.eventsPerSecond * 0.9;
    figures.tracing = { eventsPerSecond: rate, framesPerSecond: median(parts), slowestFramesPerSecond: slowest, memoryGrowth: growth };
    console.log(`${rate.toFixed(0)} trace events/s were shown on the cards over ${traceMinutes} minutes`);
    console.log(
      `${median(parts).toFixed(1)} frames/s, the slowest ${partMs / 1_000} seconds ${slowest.toFixed(1)}; at least ${budgets.framesPerSecond} are required`,
    );
    console.log(
      `memory after the first minute ${memories[0].toFixed(1)} MB, at the end ${memories.at(-1).toFixed(1)} MB (${((growth - 1) * 100).toFixed(1)}% more)`,
    );
  } finally {
    clearInterval(sending);
  }
}

/** Re-renders the canvas by switching to the source and back. */
async function measureDrawing(page, tools) {
  await page.goto(`${designer.url}/flows/large`);
  await page.getByRole("treeitem").nth(300).waitFor({ state: "attached" });
  const times = [];
  let cpuMs = 0;
  for (let round = 0; round < rounds; round++) {
    await page.getByRole("button", { name: "YAML", exact: true }).click();
    await page.locator(".cm-content").waitFor();
    await page.waitForTimeout(200);
    const before = await metric(tools, "TaskDuration");
    times.push(
      await page.evaluate(async () => {
        const button = [...document.querySelectorAll("button")].find((element) => element.textContent === "Canvas");
        const start = performance.now();
        button.click();
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        if (document.querySelectorAll("[role=treeitem]").length < 500) throw new Error("not all steps are drawn");
        return performance.now() - start;
      }),
    );
    cpuMs += ((await metric(tools, "TaskDuration")) - before) * 1000;
  }
  return { times, cpuMs: cpuMs / rounds };
}

/** Opens the flow from the list; loading its text over the network does not count. */
async function measureOpening(page) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    await page.goto(`${designer.url}/flows/small`);
    await page.getByRole("treeitem").first().waitFor();
    times.push(
      await page.evaluate(async () => {
        performance.clearResourceTimings();
        history.pushState(null, "", "/flows/large");
        while (document.querySelectorAll("[role=treeitem]").length < 500) await new Promise((resolve) => requestAnimationFrame(resolve));
        await new Promise((resolve) => setTimeout(resolve));
        const shown = performance.now();
        const loaded = performance.getEntriesByType("resource").findLast((entry) => entry.name.endsWith("/flows/large"));
        return shown - (loaded?.responseEnd ?? 0);
      }),
    );
  }
  return times;
}

/** Breaks the source with one key and fixes it with another; measures from that key to the frame with the updated canvas. */
async function measureFixing(page) {
  await page.goto(`${designer.url}/flows/middle?view=split`);
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  const times = [];
  for (let round = 0; round < rounds; round++) {
    await page.keyboard.type("@");
    await page.locator(".canvas[data-broken]").waitFor();
    await page.waitForTimeout(400);
    await page.evaluate(() => {
      window.fixedMs = undefined;
      const onKey = ({ timeStamp }) => {
        const check = () => {
          if (document.querySelector(".canvas[data-broken]") !== null) requestAnimationFrame(check);
          else setTimeout(() => (window.fixedMs = performance.now() - timeStamp));
        };
        requestAnimationFrame(check);
      };
      window.addEventListener("keydown", onKey, { capture: true, once: true });
    });
    await page.keyboard.press("Backspace");
    times.push(await page.waitForFunction(() => window.fixedMs).then((handle) => handle.jsonValue()));
  }
  return times;
}

/** From each key press to the next frame, as reported by the browser. */
async function timeKeys(page, presses) {
  await page.evaluate(() => {
    const isListening = window.pressed !== undefined;
    window.pressed = [];
    if (isListening) return;
    window.addEventListener("keydown", (event) => requestAnimationFrame(() => setTimeout(() => window.pressed.push(performance.now() - event.timeStamp))), {
      capture: true,
    });
  });
  for (const key of presses) {
    await page.keyboard.press(key);
    await page.waitForTimeout(120);
  }
  return page.evaluate(() => window.pressed.splice(0));
}
