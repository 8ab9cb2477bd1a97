import type { Finding } from "./findings.ts";

/** Formats the findings as SARIF 2.1.0 for code-scanning services. */
export function sarif(findings: readonly Finding[], version: string): Readonly<Record<string, unknown>> {
  const codes = [...new Set(findings.map(({ code }) => code))];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "sluice lint", version, rules: codes.map((id) => ({ id, helpUri: `docs/reference/errors.md#${id}` })) } },
        results: findings.map((finding) => ({
          ruleId: finding.code,
          ruleIndex: codes.indexOf(finding.code),
          level: finding.severity,
          message: { text: finding.fix === null ? finding.message : `${finding.message} (fix: ${finding.fix})` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: encodeURI(finding.file.replaceAll("\\", "/")) },
                region: { startLine: finding.line, startColumn: finding.column, endLine: finding.endLine, endColumn: finding.endColumn },
              },
            },
          ],
        })),
      },
    ],
  };
}
