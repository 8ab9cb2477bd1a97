/** The name of a heading in a link: as GitHub makes it, so that links hold there and on the site. */
export function anchorOf(heading) {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}
