/** The node types, with their DOM numbers. */
export const nodeTypes = {
  element: 1,
  attribute: 2,
  text: 3,
  instruction: 7,
  comment: 8,
  document: 9,
} as const;
export type NodeType = (typeof nodeTypes)[keyof typeof nodeTypes];
