// The axe-core findings of a page, in both themes and sizes. Screenshots are saved when SCREENSHOTS names a folder. axe-core takes most of a second for a
// page, so `npm test` does not run it: `findingsOf` finds nothing there. `npm run test:all` runs the same tests with SLUICE_AXE, and the long tests enable it.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Axe {
  run(options: {
    readonly resultTypes: readonly string[];
    readonly runOnly?: readonly string[];
  }): Promise<{ readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly target: readonly unknown[] }[] }[] }>;
}

let isEnabled = process.env["SLUICE_AXE"] !== undefined;

/** For `beforeAll` and `afterAll` of a test file. */
export function enableAxe(enabled: boolean): void {
  isEnabled = enabled;
}

/** The rules whose result depends on colors. The themes differ in colors only. */
const colorRules = ["color-contrast", "link-in-text-block"];

export async function findingsOf(page: Page, rules: "all" | "colors" = "all"): Promise<readonly string[]> {
  if (!isEnabled) return [];
  // Without reduced motion, colors would be measured during a transition.
  await page.emulateMedia({ reducedMotion: "reduce" });
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  return page.evaluate(
    async (runOnly) => {
      // Omits the elements that passed, because naming each of them takes most of the time.
      const options = { resultTypes: ["violations"], ...(runOnly === undefined ? {} : { runOnly }) };
      const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(options);
      return violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
    },
    rules === "all" ? undefined : colorRules,
  );
}

/** The findings in both themes, prefixed with `name` and the theme. */
export async function findingsInBothThemes(page: Page, name: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [colorScheme, rules] of [
    ["light", "all"],
    ["dark", "colors"],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await findingsOf(page, rules)).map((finding) => `${name}, ${colorScheme}: ${finding}`));
    const folder = process.env["SCREENSHOTS"];
    if (folder === undefined) continue;
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name.replaceAll(/[^\w-]+/g, "-")}-${colorScheme}.png`) });
  }
  return found;
}

/** The findings in both themes at the width of a desktop and of a phone, where the page must not scroll horizontally if `mustFit`. */
export async function findingsOfScreen(page: Page, name: string, mustFit = true): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    found.push(...(await findingsInBothThemes(page, `${name} ${width}`)));
    const content = await page.evaluate(() => document.documentElement.scrollWidth);
    if (mustFit && content > width) found.push(`${name}: the page is ${content} pixels wide and scrolls horizontally in a ${width}-pixel window`);
  }
  return found;
}
