import { page } from "./declaration-page.mjs";

const kinds = {
  flow: [
    "Errors in a flow",
    "Reported when a flow is checked or deployed; each has a line, a column and often a hint. The API responds with 400 for invalid YAML and 422 for all others.",
  ],
  run: ["Failures of a run", "Thrown while a message is processed. `onException` and `doCatch` name the exception type."],
  api: [
    "Errors of the runtime",
    'Errors of the management API, and of webhooks if the request does not reach its route. The body is `{"error": …}` with the message; the header `X-Error-Code` has the code. If a flow is rejected, it has the code of the first [error in the flow](#errors-in-a-flow).',
  ],
};

/** `apiErrors` and `webhookErrors`: status and meaning by code. */
export function errorPage(found, apiErrors, webhookErrors) {
  const sections = Object.entries(kinds).map(([kind, [title, text]]) =>
    [
      `## ${title}`,
      "",
      text,
      "",
      ...table(
        kind,
        found.filter((error) => error.kind === kind),
        apiErrors,
      ),
    ].join("\n"),
  );
  return page("# Error codes", "`…` is a placeholder for a name, a value or a reason.", ...sections, webhookSection(webhookErrors));
}

function table(kind, found, apiErrors) {
  const codes = [...new Set([...found.map(({ code }) => code), ...(kind === "api" ? Object.keys(apiErrors) : [])])].toSorted();
  const extra = { flow: undefined, run: "Exception types", api: "Status | Meaning" }[kind];
  const rows = codes.map((code) => {
    const sameCode = found.filter((error) => error.code === code);
    const messages = [...new Set(sameCode.map(({ message }) => message))].filter((message) => /\p{L}/u.test(message)).toSorted();
    const types = [...new Set(sameCode.map(({ type }) => type).filter((type) => type !== undefined))].toSorted();
    const extraCell =
      kind === "run"
        ? `${types.map((type) => `\`${type.slice(type.lastIndexOf(".") + 1)}\``).join(", ")} | `
        : kind === "api"
          ? `${apiErrors[code].status} | ${apiErrors[code].meaning} | `
          : "";
    return `| \`${code}\` | ${extraCell}${messages.map((message) => message.replaceAll("|", "\\|").replaceAll("<", "&lt;")).join("<br>")} |`;
  });
  return [`| Code | ${extra === undefined ? "" : `${extra} | `}Messages |`, `|---|---|${"---|".repeat(extra?.split("|").length ?? 0)}`, ...rows];
}

function webhookSection(errors) {
  const rows = Object.entries(errors)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`);
  return [
    "## Errors of webhooks",
    "",
    "A webhook rejected the request before its route ran; the header `X-Error-Code` has the code. Failures of a route have no code in the response.",
    "",
    "| Code | Status | Meaning |",
    "|---|---|---|",
    ...rows,
  ].join("\n");
}
