// Bounds the work of one evaluation. The query engine has no limits, but it accesses the document only through this facade and every loop calls
// `tick`; too many steps or too much time end the evaluation.
import type { IDomFacade } from "fontoxpath";
import { FlowError, type Clock } from "@sluice/engine/spi";
import { nodeTypes } from "../node-type.ts";
import type { XmlNode } from "../xml-node.ts";

const queryLimits = { maxMs: 150, maxSteps: 20_000_000, maxRange: 1_000_000 } as const;

export class WorkMeter {
  readonly #clock: Clock;
  readonly #deadline: number;
  #steps = 0;
  #rangeLength = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#deadline = clock.monotonic() + queryLimits.maxMs;
  }

  tick(): void {
    if ((++this.#steps & 255) !== 0) return;
    if (this.#steps > queryLimits.maxSteps || this.#clock.monotonic() > this.#deadline)
      throw limitError(`the expression took more than ${queryLimits.maxMs} ms or ${queryLimits.maxSteps} steps: simplify it or reduce the document`);
  }

  /** Counts the numbers an expression creates with `to`. */
  range(length: number): void {
    this.#rangeLength += Math.max(0, length);
    if (this.#rangeLength > queryLimits.maxRange)
      throw limitError(`the expression creates ranges with more than ${queryLimits.maxRange} numbers: use smaller ranges`);
  }

  /** The document as exposed to the query engine. */
  facade(): IDomFacade {
    const tick = (): void => this.tick();
    const metered = <T>(read: (node: XmlNode) => T) => {
      return (node: XmlNode): T => {
        tick();
        return read(node);
      };
    };
    return {
      getAllAttributes: metered((node) => node.attributes),
      getAttribute: (node: XmlNode, name: string) => {
        tick();
        return node.attributes.find((attribute) => attribute.nodeName === name)?.data ?? null;
      },
      getChildNodes: metered((node) => node.childNodes),
      getData: metered((node) => node.data),
      getFirstChild: metered((node) => node.childNodes[0] ?? null),
      getLastChild: metered((node) => node.childNodes.at(-1) ?? null),
      getNextSibling: metered((node) => sibling(node, 1)),
      getPreviousSibling: metered((node) => sibling(node, -1)),
      getParentNode: metered((node) => node.parentNode),
    } as unknown as IDomFacade;
  }
}

function sibling(node: XmlNode, step: number): XmlNode | null {
  return node.nodeType === nodeTypes.attribute ? null : (node.parentNode?.childNodes[node.index + step] ?? null);
}

function limitError(what: string): FlowError {
  return new FlowError("java.lang.IllegalStateException", `time limit: ${what}`, { code: "limit-time" });
}
