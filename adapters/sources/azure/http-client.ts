import { toHttpHeadersLike } from '@azure/core-http-compat';
import { createHttpHeaders } from '@azure/core-rest-pipeline';
import type { HttpOperationResponse, WebResource } from '@azure/storage-blob';
import { SourceError, type SourceClient } from '../port.ts';
import { askWhole, errorOfStatus } from '../requests.ts';

/** A page has 1,000 names of 1,024 characters at most, and about a thousand bytes of properties beside each. */
const maxPageBytes = 16 * 2 ** 20;

/**
 * What sends the requests of Azure's library: the guarded client, to the account's own host alone.
 * @param host with its port where it is not the default
 */
export function azureHttpClient(client: SourceClient, host: string, signal: AbortSignal): { sendRequest(request: WebResource): Promise<HttpOperationResponse> } {
  return {
    async sendRequest(request) {
      const url = new URL(request.url);
      if (url.host !== host || request.method !== 'GET') throw new SourceError('refused', 'the request would not have been a reading one to the account');
      const answer = await askWhole(client, url, { method: 'GET', headers: headersOf(request), maxBytes: maxPageBytes, signal });
      if (answer.status >= 300 && answer.status < 400) throw errorOfStatus(answer.status, 'the container');
      // An error, or half a list, under a 200 would say that files are gone.
      if (answer.status === 200) checkList(answer.body);
      const type = answer.header('content-type');
      const headers = { 'content-type': type ?? 'application/xml', ...(answer.header('x-ms-error-code') === null ? {} : { 'x-ms-error-code': answer.header('x-ms-error-code') ?? '' }) };
      return { request, status: answer.status, headers: toHttpHeadersLike(createHttpHeaders(headers)), bodyAsText: answer.body.toString('utf8') };
    },
  };
}

function headersOf(request: WebResource): Record<string, string> {
  const headers = Object.entries(request.headers.toJson()).filter(([name]) => !['host', 'accept-encoding', 'connection', 'content-length'].includes(name.toLowerCase()));
  return Object.fromEntries(headers);
}

function checkList(body: Buffer): void {
  const start = body.toString('latin1', 0, 500);
  const end = body.toString('latin1', Math.max(0, body.length - 100)).trimEnd();
  if (/^\s*(\xef\xbb\xbf)?(<\?xml[^>]*\?>\s*)?<EnumerationResults[\s>]/.test(start) && end.endsWith('</EnumerationResults>')) return;
  throw new SourceError('refused', 'the container answered 200 with something that is no complete list');
}
