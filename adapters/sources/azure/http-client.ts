import { toHttpHeadersLike } from '@azure/core-http-compat';
import { createHttpHeaders } from '@azure/core-rest-pipeline';
import type { HttpOperationResponse, WebResource } from '@azure/storage-blob';
import { SourceError, type SourceClient } from '../port.ts';
import { requestWhole, errorOfStatus } from '../requests.ts';

/** A page has at most 1,000 names of 1,024 characters, with about a thousand bytes of properties each. */
const maxPageBytes = 16 * 2 ** 20;

/**
 * Sends the requests of Azure's library through the guarded client, only to the account's own host.
 * @param host with the port where it is not the default
 */
export function azureHttpClient(
  client: SourceClient,
  host: string,
  signal: AbortSignal,
): { sendRequest(request: WebResource): Promise<HttpOperationResponse> } {
  return {
    async sendRequest(request) {
      const url = new URL(request.url);
      if (url.host !== host || request.method !== 'GET')
        throw new SourceError('refused', 'the request would not have been a read request to the account');
      const answer = await requestWhole(client, url, {
        method: 'GET',
        headers: headersOf(request),
        maxBytes: maxPageBytes,
        signal,
      });
      if (answer.status >= 300 && answer.status < 400) throw errorOfStatus(answer.status, 'the container');
      // An error or a truncated list with status 200 would make files appear deleted.
      if (answer.status === 200) checkList(answer.body);
      const type = answer.header('content-type');
      const headers = {
        'content-type': type ?? 'application/xml',
        ...(answer.header('x-ms-error-code') === null
          ? {}
          : { 'x-ms-error-code': answer.header('x-ms-error-code') ?? '' }),
      };
      return {
        request,
        status: answer.status,
        headers: toHttpHeadersLike(createHttpHeaders(headers)),
        bodyAsText: answer.body.toString('utf8'),
      };
    },
  };
}

function headersOf(request: WebResource): Record<string, string> {
  const headers = Object.entries(request.headers.toJson()).filter(
    ([name]) => !['host', 'accept-encoding', 'connection', 'content-length'].includes(name.toLowerCase()),
  );
  return Object.fromEntries(headers);
}

function checkList(body: Buffer): void {
  const start = body.toString('latin1', 0, 500);
  const end = body.toString('latin1', Math.max(0, body.length - 100)).trimEnd();
  if (
    /^\s*(\xef\xbb\xbf)?(<\?xml[^>]*\?>\s*)?<EnumerationResults[\s>]/.test(start) &&
    end.endsWith('</EnumerationResults>')
  )
    return;
  throw new SourceError('refused', 'the container answered 200 without a complete list');
}
