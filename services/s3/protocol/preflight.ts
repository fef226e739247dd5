import type { IncomingMessage } from 'node:http';
import { preflightHeaders } from '../../../mixins/storage/door-cors.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { asText } from './details.ts';
import { Fault } from './faults.ts';

/** Methods that a page may ask for. */
const methods: readonly string[] = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]*$/;

function badRequest(message: string): Fault {
  return new Fault('BadRequest', { message });
}

/**
 * Answers the preflight of a page, which has no signature.
 * @param name of the bucket that is asked for; null: the service itself
 * @param bucket the active bucket with that name
 * @throws Fault `BadRequest`, `NoSuchBucket`, `AccessForbidden`
 */
export function preflight(
  request: Pick<IncomingMessage, 'headers'>,
  name: string | null,
  bucket: Pick<Bucket, 'settings'> | null,
): DoorReply {
  const { origin = '', ...headers } = request.headers;
  if (origin === '') throw badRequest('Insufficient information. Origin request header needed.');
  const method = headers['access-control-request-method'] ?? '';
  if (!methods.includes(method)) throw badRequest(`Invalid Access-Control-Request-Method: ${method}`);
  const wanted = asText(headers['access-control-request-headers'] ?? '').split(',');
  const invalid = wanted.find((each) => !headerName.test(each.replace(/^ | $/g, '')));
  if (invalid !== undefined)
    throw badRequest(`Access-Control-Request-Headers "${invalid}" contains invalid character.`);
  if (name !== null && bucket === null) throw new Fault('NoSuchBucket', { elements: { BucketName: name } });
  if (bucket?.settings.cors.allowedOrigins.length === 0)
    throw new Fault('AccessForbidden', { message: 'CORSResponse: CORS is not enabled for this bucket.' });
  const answer = preflightHeaders(bucket, request, ', ');
  if (answer === null) throw new Fault('AccessForbidden');
  return { status: 200, headers: answer };
}
