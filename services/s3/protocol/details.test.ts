import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { readDetails, sentHeaders } from './details.ts';

it('metadata that is sent several times is one value, joined by commas alone', () => {
  const request = new IncomingMessage(new Socket());
  request.rawHeaders = ['X-Amz-Meta-A', '1', 'x-amz-meta-a', '2, 3', 'x-amz-meta-b', '4, 5', 'x-amz-meta-A', '6'];
  request.headers = { 'x-amz-meta-a': '1, 2, 3, 6', 'x-amz-meta-b': '4, 5' };
  request.headersDistinct = { 'x-amz-meta-a': ['1', '2, 3', '6'], 'x-amz-meta-b': ['4, 5'] };
  expect(readDetails(sentHeaders(request)).metadata).toEqual({ a: '1,2, 3,6', b: '4, 5' });
  expect(readDetails(request.headers).metadata).toEqual({ a: '1, 2, 3, 6', b: '4, 5' });
});
