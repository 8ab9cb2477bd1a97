// Where Chromium, Chrome and Edge are installed.
import { posix, win32 } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a browser may be installed, the preferred ones first. */
export function executablePaths(platform: NodeJS.Platform, environment: Environment, home: string): readonly string[] {
  const chosen = environment["CHROMIUM"] === undefined ? [] : [environment["CHROMIUM"]];
  return [...chosen, ...installedPaths(platform, environment, home)];
}

function installedPaths(platform: NodeJS.Platform, environment: Environment, home: string): readonly string[] {
  if (platform === "darwin")
    return ["/Applications", posix.join(home, "Applications")].flatMap((folder) =>
      ["Google Chrome", "Chromium"].map((name) => posix.join(folder, `${name}.app/Contents/MacOS/${name}`)),
    );
  if (platform === "win32") {
    const folders = ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"].flatMap((name) => environment[name] ?? []);
    return ["Google/Chrome/Application/chrome.exe", "Chromium/Application/chrome.exe", "Microsoft/Edge/Application/msedge.exe"].flatMap((file) =>
      folders.map((folder) => win32.join(folder, file)),
    );
  }
  return ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
}
