import { page } from "./declaration-page.mjs";

const kinds = {
  flow: [
    "Errors in a flow",
    "Reported when a flow is checked or deployed; each has a line, a column and often a hint. The API responds with 400 for invalid YAML and 422 for all others.",
  ],
  run: ["Failures of a run", "Thrown while a message is processed. `onException` and `doCatch` name the exception type."],
  api: ["Errors of the management API", 'The body is `{"error": …}` with the message.'],
};

/** `statuses` maps the code of an API error to its status. */
export function errorPage(found, statuses) {
  const sections = Object.entries(kinds).map(([kind, [title, text]]) =>
    [
      `## ${title}`,
      "",
      text,
      "",
      ...table(
        kind,
        found.filter((error) => error.kind === kind),
        statuses,
      ),
    ].join("\n"),
  );
  return page("# Error codes", "`…` is a placeholder for a name, a value or a reason.", ...sections);
}

function table(kind, found, statuses) {
  const codes = [...new Set(found.map(({ code }) => code))].toSorted();
  const extra = { flow: undefined, run: "Exception types", api: "Status" }[kind];
  const rows = codes.map((code) => {
    const sameCode = found.filter((error) => error.code === code);
    const messages = [...new Set(sameCode.map(({ message }) => message))].filter((message) => /\p{L}/u.test(message)).toSorted();
    const types = [...new Set(sameCode.map(({ type }) => type).filter((type) => type !== undefined))].toSorted();
    const extraCell =
      kind === "run"
        ? `${types.map((type) => `\`${type.slice(type.lastIndexOf(".") + 1)}\``).join(", ")} | `
        : kind === "api"
          ? `${statuses[code] ?? ""} | `
          : "";
    return `| \`${code}\` | ${extraCell}${messages.map((message) => message.replaceAll("|", "\\|").replaceAll("<", "&lt;")).join("<br>")} |`;
  });
  return [`| Code | ${extra === undefined ? "" : `${extra} | `}Messages |`, `|---|---|${extra === undefined ? "" : "---|"}`, ...rows];
}
