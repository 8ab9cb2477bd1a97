/** A `curl` command that deploys a first flow; it can be pasted into a shell unchanged. */
export function firstFlowCommand(runtimeUrl: string, token: string): string {
  const yaml = "- route: {id: hello, from: {uri: webhook, steps: [{log: '${body}'}]}}";
  return `curl -X PUT ${runtimeUrl}/_api/flows/hello -H "Authorization: Bearer ${token}" -H 'Content-Type: application/yaml' --data-binary "${yaml.replaceAll("$", "\\$")}"`;
}
