/** Moves the focus to the next or previous marked region of the page: header, canvas, inspector, dock. Also works while a field has the focus. */
export function focusRegion(by: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")].filter((region) => region.checkVisibility());
  if (regions.length === 0) return;
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const next = regions[(at + by + regions.length) % regions.length];
  const current = next?.querySelector<HTMLElement>('[role=treeitem][tabindex="0"], [role=tab][tabindex="0"]');
  (current ?? next?.querySelector<HTMLElement>('button:not(:disabled), a[href], input, select, textarea, [tabindex="0"]'))?.focus();
}
