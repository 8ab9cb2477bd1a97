/** The kinds of nodes, with the numbers the DOM gives them. */
export const nodeTypes = {
  element: 1,
  attribute: 2,
  text: 3,
  instruction: 7,
  comment: 8,
  document: 9,
} as const;
export type NodeType = (typeof nodeTypes)[keyof typeof nodeTypes];
