import { useEffect, useMemo, useState } from "react";
import { previewDocument, readDocument, sampleOf, withSample, type Preview, type DocumentSyntaxError } from "../../mappings/document-preview.ts";
import { currentSample, keepSample, keptSamplesOf, setCurrentSample } from "../../mappings/document-samples.ts";
import { createLazyEnvironment, type LazyEnvironment } from "../../mappings/mapping-environment.ts";
import { readMapping, type SavedMapping } from "../../mappings/saved-mapping.ts";

const debounceMs = 120;
export interface LivePreview {
  readonly preview: Preview | undefined;
  /** The document parsed from the last valid text. */
  readonly document: Readonly<Record<string, unknown>> | undefined;
  readonly syntaxError: DocumentSyntaxError | undefined;
  readonly sample: string;
  readonly lazyEnvironment: LazyEnvironment;
  setSample(text: string): void;
  /** The samples that the user kept, and whether the mapping succeeds for each of them. */
  readonly keptSamples: readonly KeptSample[];
  keepSample(): void;
}

export interface KeptSample {
  readonly text: string;
  readonly isValid: boolean;
}

/** Parses, compiles and runs the document shortly after the last keystroke. */
export function usePreview(id: string, text: string, { tableIds, documentIds }: SavedMapping, target: string | undefined): LivePreview {
  const lazyEnvironment = useMemo(
    () =>
      createLazyEnvironment({ tables: tableIds, documents: documentIds.filter((other) => other !== id) }, (kind, other) => readMapping(kind, other, target)),
    [id, tableIds, documentIds, target],
  );
  const [ownSample, setOwnSample] = useState<string | undefined>(() => currentSample(id));
  const [state, setState] = useState<Pick<LivePreview, "preview" | "document" | "syntaxError">>(() => {
    const read = readDocument(text);
    return { preview: undefined, document: "document" in read ? read.document : undefined, syntaxError: "syntaxError" in read ? read.syntaxError : undefined };
  });
  const sample = ownSample ?? (state.document === undefined ? "" : sampleOf(state.document));
  useEffect(() => {
    let current = true;
    const run = async (): Promise<void> => {
      const read = readDocument(text);
      if ("syntaxError" in read) return setState((before) => ({ ...before, syntaxError: read.syntaxError }));
      const show = (): void =>
        setState({
          preview: previewDocument(
            ownSample === undefined ? read.document : withSample(read.document, ownSample),
            ownSample ?? sampleOf(read.document),
            lazyEnvironment.environment,
            Date.now(),
          ),
          document: read.document,
          syntaxError: undefined,
        });
      // Loading errors are reported as problems of the document.
      await lazyEnvironment.complete(text).catch(() => false);
      if (current) show();
    };
    const timer = setTimeout(() => void run(), debounceMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, ownSample, lazyEnvironment]);
  const [list, setList] = useState(() => keptSamplesOf(id));
  const keptSamples = useMemo(
    () => list.map((text): KeptSample => ({ text, isValid: state.document !== undefined && isValidFor(state.document, text, lazyEnvironment.environment) })),
    // The preview changes each time the environment is completed.
    [list, state.document, state.preview, lazyEnvironment],
  );
  return {
    ...state,
    keptSamples,
    keepSample: () => setList(keepSample(id, sample)),
    sample,
    lazyEnvironment,
    setSample(next) {
      setCurrentSample(id, next);
      setOwnSample(next);
    },
  };
}

function isValidFor(document: Readonly<Record<string, unknown>>, sample: string, environment: LazyEnvironment["environment"]): boolean {
  const { errors, problems } = previewDocument(withSample(document, sample), sample, environment, Date.now());
  return errors.length === 0 && problems.length === 0;
}
