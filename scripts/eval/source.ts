import { createServer } from 'node:http';

/** Texts served on this machine. */
export interface TextSource {
  /** Where the text of a number lies. */
  urlOf(index: number): string;
  stop(): Promise<void>;
}

/** Serves texts as files, `/<number>.txt`, on a free port. */
export async function serveTexts(texts: readonly string[]): Promise<TextSource> {
  const server = createServer((request, response) => {
    const text = texts[Number.parseInt((request.url ?? '').slice(1), 10)];
    response.writeHead(
      text === undefined ? 404 : 200,
      text === undefined
        ? {}
        : { etag: '"1"', 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) },
    );
    response.end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the source has no port');
  const { port } = address;
  return {
    urlOf: (index) => `http://127.0.0.1:${port}/${index}.txt`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
