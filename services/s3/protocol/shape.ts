import type { IncomingMessage } from 'node:http';
import { parameter, type S3Address } from './address.ts';
import { badArgument, Fault } from './faults.ts';

/** What a method that is not allowed was tried on, as the protocol names it. */
type ResourceType = 'SERVICE' | 'OBJECT' | 'UPLOAD';

function notAllowed(method: string, resource: ResourceType): Fault {
  return new Fault('MethodNotAllowed', { elements: { Method: method, ResourceType: resource } });
}

/**
 * Refuses a request that is none of the protocol's whatever there is and whoever sends it, before its signature is looked
 * at: it would otherwise be taken for another operation.
 * @param isForm whether it sends the form of a browser
 * @throws Fault
 */
export function requireShape(
  { method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { bucket, key, query }: Pick<S3Address, 'bucket' | 'key' | 'query'>,
  isForm: boolean,
): void {
  const has = (name: string): boolean => parameter({ query }, name) !== null;
  const source = headers['x-amz-copy-source'];
  if (typeof source === 'string' && method !== 'PUT')
    throw badArgument('x-amz-copy-source', 'You can only specify a copy source header for copy requests.', source);
  if (bucket === null && method === 'POST') throw notAllowed(method, 'SERVICE');
  if (bucket !== null && key === null && method === 'POST' && query.length === 0 && !isForm) {
    const condition = 'Bucket POST must be of the enclosure-type multipart/form-data';
    throw new Fault('PreconditionFailed', { elements: { Condition: condition } });
  }
  if (key === null) return;
  if (method === 'PUT' && has('uploadId') && !has('partNumber')) throw notAllowed(method, 'UPLOAD');
  if (method === 'PUT' && has('partNumber') && !has('uploadId'))
    throw badArgument('partNumber', 'This operation does not accept partNumber without uploadId', 'partNumber');
  if (method === 'POST' && query.length === 0) throw notAllowed(method, 'SERVICE');
  if (method === 'GET' && has('uploads'))
    throw new Fault('InvalidRequest', { message: 'Key is not expected for the GET method ?uploads subresource' });
  if (method === 'GET' && has('versions'))
    throw new Fault('InvalidRequest', { message: 'There is no such thing as the ?versions sub-resource for a key' });
}
