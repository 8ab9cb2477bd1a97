// The complete flow of an example: printed in the reference and run by the tests.

/** A list of steps, or one step, becomes a route from `direct:start`; a document is returned unchanged. */
export function exampleDocument(yaml: string): string {
  const text = yaml.replace(/^\n+/, "").trimEnd();
  if (/^- (route|from|beans|rest|onException|errorHandler|routeConfiguration|routeTemplate|templatedRoute|dataFormats):/m.test(text)) return `${text}\n`;
  const lines = text.split("\n");
  const list = text.startsWith("-") ? lines : lines.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`));
  return `- route:\n    id: example\n    from:\n      uri: direct:start\n      steps:\n${list.map((line) => (line === "" ? "" : `        ${line}`)).join("\n")}\n`;
}
