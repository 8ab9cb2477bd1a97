import type { Reporter, Write } from "../report.ts";

/** The Test Anything Protocol, version 14. */
export function tapReporter(write: Write): Reporter {
  return {
    finish({ files }) {
      const lines = files.flatMap(({ path, results, problems }) => [
        ...(problems.length === 0 ? [] : [{ name: path, line: problems[0]?.line ?? 1, failures: problems.map(({ message }) => message), durationMs: 0, path }]),
        ...results.map((result) => ({ ...result, name: `${path}: ${result.name}`, path })),
      ]);
      write("TAP version 14");
      write(`1..${lines.length}`);
      lines.forEach(({ name, failures, path, line, durationMs }, index) => {
        write(
          `${failures.length === 0 ? "ok" : "not ok"} ${index + 1} - ${name.replaceAll("\\", "\\\\").replaceAll("#", "\\#").replaceAll("\n", " ")} # time=${durationMs}ms`,
        );
        if (failures.length === 0) return;
        write(
          `  ---\n  message: ${JSON.stringify(failures[0])}\n  at: ${JSON.stringify(`${path}:${line}`)}\n  failures:\n${failures.map((failure) => `    - ${JSON.stringify(failure)}`).join("\n")}\n  ...`,
        );
      });
    },
  };
}
