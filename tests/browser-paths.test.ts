// The paths of browsers on systems other than this one: a wrong path would skip all tests in a browser there.
import { expect, it } from "vitest";
import { executablePaths } from "./designer/browser-paths.ts";

it("finds Chrome and Chromium on macOS", () => {
  expect(executablePaths("darwin", {}, "/Users/ada")).toEqual([
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Users/ada/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Users/ada/Applications/Chromium.app/Contents/MacOS/Chromium",
  ]);
});

it("finds Chrome before Edge on Windows", () => {
  const environment = { PROGRAMFILES: String.raw`C:\Program Files`, "PROGRAMFILES(X86)": String.raw`C:\Program Files (x86)` };
  const paths = executablePaths("win32", environment, String.raw`C:\Users\ada`);
  expect(paths[0]).toBe(String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`);
  expect(paths.at(-1)).toBe(String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`);
});

it("prefers the executable in CHROMIUM on every system", () => {
  for (const platform of ["linux", "darwin", "win32"] as const)
    expect(executablePaths(platform, { CHROMIUM: "/opt/chromium" }, "/home")[0]).toBe("/opt/chromium");
});
