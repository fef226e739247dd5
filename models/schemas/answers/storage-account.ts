import { annotated, answer, literals, text, time } from './answer.ts';

/** The storage account of an organization. */
export const storageAccountAnswer = answer('StorageAccount', {
  name: text,
  homeRegion: text,
  blobEndpoint: annotated(text, { description: 'Base address for Blob clients.' }),
  dnsState: annotated(literals('pending', 'active', 'failed'), {
    description: 'Whether the DNS has the hostname of `blobEndpoint`.',
  }),
  createdAt: time,
});
