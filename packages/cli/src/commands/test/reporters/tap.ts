import type { Reporter, Write } from "../report.ts";

/** The Test Anything Protocol, version 14. */
export function tapReporter(write: Write): Reporter {
  return {
    finish({ files }) {
      const lines = files.flatMap(({ path, results, faults }) => [
        ...(faults.length === 0 ? [] : [{ name: path, line: faults[0]?.line ?? 1, faults: faults.map(({ message }) => message), durationMs: 0, path }]),
        ...results.map((result) => ({ ...result, name: `${path}: ${result.name}`, path })),
      ]);
      write("TAP version 14");
      write(`1..${lines.length}`);
      lines.forEach(({ name, faults, path, line, durationMs }, index) => {
        write(
          `${faults.length === 0 ? "ok" : "not ok"} ${index + 1} - ${name.replaceAll("\\", "\\\\").replaceAll("#", "\\#").replaceAll("\n", " ")} # time=${durationMs}ms`,
        );
        if (faults.length === 0) return;
        write(
          `  ---\n  message: ${JSON.stringify(faults[0])}\n  at: ${JSON.stringify(`${path}:${line}`)}\n  faults:\n${faults.map((fault) => `    - ${JSON.stringify(fault)}`).join("\n")}\n  ...`,
        );
      });
    },
  };
}
