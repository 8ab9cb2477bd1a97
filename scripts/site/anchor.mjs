/** The anchor of a heading, in GitHub's format, so that links work there and on the site. */
function anchorOf(heading) {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** A function for the headings of one page, in order: anchors that occurred before are numbered. */
export function pageAnchors() {
  const seen = new Map();
  return (heading) => {
    const name = anchorOf(heading);
    const duplicates = seen.get(name) ?? 0;
    seen.set(name, duplicates + 1);
    return duplicates === 0 ? name : `${name}-${duplicates}`;
  };
}
