import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = workerUrl;

/** Where the build puts the character maps, fonts and decoders of PDF.js (web/vite.config.ts). */
const parts = `${import.meta.env.BASE_URL}${import.meta.env.PDFJS_PARTS}`;

/** A PDF and the height of its first page as a multiple of its width. */
export interface OpenedPdf {
  pdf: PDFDocumentProxy;
  ratio: number;
}

/**
 * Opens a PDF; it is read in ranges as its pages are needed. Scripts and forms in it stay off.
 * @returns ends the reading and gives back the memory
 */
export function openPdf(
  url: string,
  onOpened: (opened: OpenedPdf | null) => void,
  onError: (error: unknown) => void,
): () => void {
  let isOver = false;
  const loading = getDocument({
    url,
    withCredentials: false,
    disableAutoFetch: true,
    enableXfa: false,
    // The policy of the page allows no WebAssembly: the decoders are the slower ones in JavaScript.
    useWasm: false,
    cMapUrl: `${parts}cmaps/`,
    standardFontDataUrl: `${parts}standard_fonts/`,
    wasmUrl: `${parts}wasm/`,
    iccUrl: `${parts}iccs/`,
  });
  const open = async (): Promise<void> => {
    const pdf = await loading.promise;
    const { width, height } = (await pdf.getPage(1)).getViewport({ scale: 1 });
    if (!isOver) onOpened({ pdf, ratio: height / width });
  };
  open().catch((error: unknown) => {
    if (!isOver) onError(error);
  });
  return () => {
    isOver = true;
    onOpened(null);
    void loading.destroy();
  };
}
