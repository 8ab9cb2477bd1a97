// Values of forms that edit a JSON document, addressed by path.

export type Members = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? (inner as Readonly<Record<string | number, unknown>>)[name] : undefined),
    value,
  );
}

/** Sets one value of the document; undefined removes it. Missing parent objects are created. */
export function withValue(document: Members, path: Path, value: unknown): Members {
  return setIn(document, path, value) as Members;
}

function setIn(container: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  if (typeof name === "number") {
    const list = Array.isArray(container) ? [...(container as readonly unknown[])] : [];
    list[name] = setIn(list[name], rest, value);
    return list;
  }
  const members = { ...(container as Members | undefined) };
  const inner = setIn(members[name], rest, value);
  if (inner === undefined) delete members[name];
  else members[name] = inner;
  return members;
}
