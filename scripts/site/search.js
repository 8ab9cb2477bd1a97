// Finds sections by words and their synonyms. A classic script without imports: the site also works from file: URLs, where browsers load no modules.
(() => {
  /** Words a reader may use for the same thing; the documentation uses only some of them. */
  const synonyms = [
    ["install", "installation", "setup", "download", "npm", "start"],
    ["plugin", "plug-in", "extension", "addon", "connector", "component", "functions"],
    ["deduplicate", "dedupe", "dedup", "duplicate", "duplicates", "idempotent", "idempotency"],
    ["typescript", "types", "typed", "client", "sdk", "javascript"],
    ["cron", "schedule", "timer", "interval"],
    ["env", "environment", "settings", "configuration", "config"],
    ["secret", "secrets", "password", "credentials", "credential", "token"],
    ["dlq", "dead letter", "dead letters", "poison"],
    ["docker", "container", "image", "kubernetes", "k8s"],
    ["delete", "remove", "undeploy", "uninstall"],
    ["update", "replace", "redeploy", "upgrade"],
    ["throttle", "rate limit", "limit"],
    ["retry", "redelivery", "retries"],
    ["loop", "foreach", "iterate", "split"],
    ["if", "condition", "switch", "choice", "branch"],
    ["transform", "convert", "map", "mapping"],
    ["logging", "log", "logs"],
    ["monitoring", "metrics", "prometheus", "observability", "opentelemetry"],
    ["auth", "authentication", "authorization", "login", "jwt", "api key"],
    ["cluster", "scale", "workers"],
    ["debug", "debugging", "trace", "troubleshooting"],
    ["variable", "parameter", "placeholder", "params"],
  ];
  const weights = { title: 12, heading: 6, text: 1 };
  const synonymFactor = 0.4;
  const snippetLength = 150;

  const formsOf = (term) => [
    { form: term, factor: 1 },
    ...synonyms
      .filter((group) => group.includes(term))
      .flatMap((group) => group.filter((word) => word !== term).map((form) => ({ form, factor: synonymFactor }))),
  ];

  /** Matches at the start of a word only: "rest" finds "restart", not "forest". */
  function wordStart(text, form) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) if (at === 0 || !/[a-z0-9]/.test(text[at - 1])) return at;
    return -1;
  }

  function scoreTerm([, title, heading, text], forms) {
    let best = { points: 0, at: -1, length: 0 };
    for (const { form, factor } of forms) {
      const at = wordStart(text.toLowerCase(), form);
      const inTitle = wordStart(title.toLowerCase(), form);
      const points =
        factor *
        ((inTitle === -1 ? 0 : weights.title + (heading === "" ? 4 : 0)) +
          (wordStart(heading.toLowerCase(), form) === -1 ? 0 : weights.heading) +
          (at === -1 ? 0 : weights.text));
      if (points > best.points) best = { points, at, length: form.length };
    }
    return best;
  }

  function snippetOf(text, { at, length }) {
    if (at === -1) return { before: text.slice(0, snippetLength), match: "", after: "" };
    const from = Math.max(0, at - 50);
    return {
      before: (from === 0 ? "" : "…") + text.slice(from, at),
      match: text.slice(at, at + length),
      after: text.slice(at + length, from + snippetLength) + (text.length > from + snippetLength ? "…" : ""),
    };
  }

  /** Sections that match every word of the query, best first, at most two per page. */
  function find(query, entries, limit = 10) {
    const terms = query.toLowerCase().split(/\s+/).filter(Boolean).map(formsOf);
    if (terms.length === 0) return [];
    const hits = [];
    for (const entry of entries) {
      const matches = terms.map((forms) => scoreTerm(entry, forms));
      if (matches.every(({ points }) => points > 0)) hits.push({ entry, points: matches.reduce((sum, { points }) => sum + points, 0), match: matches[0] });
    }
    hits.sort((a, b) => b.points - a.points);
    const perPage = new Map();
    return hits
      .filter(({ entry: [, title] }) => {
        const count = (perPage.get(title) ?? 0) + 1;
        perPage.set(title, count);
        return count <= 2;
      })
      .slice(0, limit)
      .map(({ entry: [address, title, heading, text], match }) => ({ address, title, heading, snippet: snippetOf(text, match) }));
  }

  globalThis.sluiceSearch = { entries: undefined, find };
})();
