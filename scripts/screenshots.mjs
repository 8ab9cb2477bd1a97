// `npm run docs:screenshots`: captures every screen of the designer in both themes into docs/designer/screens. Needs a built repository and
// Chromium. A folder and a size, such as `/tmp/screens 1920x1080`, change the output; further arguments select screens by name.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startDesigner } from "@sluice/designer/server";
import { readConfiguration, startServer } from "@sluice/server";
import { chromium } from "playwright-core";
import { buildDesigner } from "./prepare.mjs";
import { root } from "./run-command.mjs";
import { fillRuntime, fillWorkspace, sendOrders } from "./screenshots/sample.mjs";
import { lockedScreens, screens } from "./screenshots/screens.mjs";
import { smallPng } from "./screenshots/small-png.mjs";

const folder = resolve(process.argv[2] ?? join(root, "docs/designer/screens"));
const [width, height] = (process.argv[3] ?? "1280x800").split("x").map(Number);
const selected = new Set(process.argv.slice(4));
const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => path !== undefined && existsSync(path));
if (executablePath === undefined) {
  console.error("Chromium not found: install the package 'chromium' or set CHROMIUM.");
  process.exit(1);
}

await buildDesigner();
const workFolder = mkdtempSync(join(tmpdir(), "sluice-screens-"));
const token = "screenshot-token";
const server = await startServer(
  readConfiguration({}, { SERVICE_PORT: "0", SERVICE_DEPLOY_TOKEN: token, SERVICE_DATA_DIR: join(workFolder, "data"), SERVICE_BREAKPOINTS: "true" }),
  2,
);
const options = { port: 0, targets: [{ name: "local", baseUrl: server.baseUrl, tokenEnv: "TOKEN" }], environment: { TOKEN: token } };
const workspace = join(workFolder, "workspace");
const designer = await startDesigner({ ...options, workspace });
const locked = await startDesigner({ ...options, workspace: join(workFolder, "locked"), password: "screenshot-password" });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"] });
let failures = 0;
let traffic;

async function capture(name, visit, url, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce", locale: "en-GB", timezoneId: "UTC" });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  try {
    await visit(page, url);
    await page.waitForFunction(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0));
  } catch (error) {
    failures++;
    console.error(`${name}: ${error.message.split("\n")[0]}`);
  }
  // Moved away, so that no control is shown as hovered.
  await page.mouse.move(0, 0);
  await page.waitForTimeout(300);
  writeFileSync(join(folder, `${name}-${colorScheme}.png`), smallPng(await page.screenshot()));
  await context.close();
}

try {
  mkdirSync(folder, { recursive: true });
  fillWorkspace(workspace);
  await fillRuntime(server.baseUrl, token, workspace);
  traffic = setInterval(() => void sendOrders(server.baseUrl).catch(() => undefined), 20_000);
  for (const [name, visit, url] of [
    ...Object.entries(screens).map((entry) => [...entry, designer.url]),
    ...Object.entries(lockedScreens).map((entry) => [...entry, locked.url]),
  ])
    if (selected.size === 0 || selected.has(name)) await Promise.all(["light", "dark"].map((colorScheme) => capture(name, visit, url, colorScheme)));
} finally {
  clearInterval(traffic);
  await browser.close();
  await designer.close();
  await locked.close();
  await server.stop();
  rmSync(workFolder, { recursive: true, force: true });
}
console.log(failures === 0 ? `All screenshots are in ${folder}` : `${failures} screenshots failed: see the errors above`);
process.exit(failures === 0 ? 0 : 1);
