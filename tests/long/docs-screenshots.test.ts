// The screenshots of the designer: there is one of every screen that the script visits, in both themes; the page shows all of them; the files are small.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { lockedScreens, screens } from "../../scripts/screenshots/screens.mjs";

const folder = fileURLToPath(new URL("../../docs/designer", import.meta.url));
const expected = Object.keys({ ...screens, ...lockedScreens }).flatMap((name) => [`${name}-dark.png`, `${name}-light.png`]);
const pictures = readdirSync(join(folder, "screens")).map((name) => ({ name, bytes: readFileSync(join(folder, "screens", name)) }));

describe("the screenshots of the designer", () => {
  it("exist for every screen in both themes, and no others", () => {
    expect(pictures.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
  });

  it("are all on the page", () => {
    const page = readFileSync(join(folder, "index.md"), "utf8");
    expect(expected.filter((name) => !page.includes(`](screens/${name})`))).toEqual([]);
  });

  it("are PNGs of 1280 by 800 pixels, under three megabytes in total", () => {
    for (const { name, bytes } of pictures)
      expect([name, bytes.toString("latin1", 1, 4), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([name, "PNG", 1280, 800]);
    expect(pictures.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThan(3_000_000);
  });
});
