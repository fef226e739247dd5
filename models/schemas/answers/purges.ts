import { annotated, answer, id, listOf, literals, orNull, text, time } from './answer.ts';

/** A purge. */
export const purgeAnswer = answer('Purge', {
  id,
  bucketId: id,
  bucketName: text,
  scope: literals('urls', 'prefixes', 'all'),
  targets: annotated(listOf(text), {
    description: 'Paths or prefixes, percent-encoded, without a leading slash; empty for `all`.',
  }),
  state: literals('queued', 'running', 'succeeded', 'failed'),
  failureReason: orNull(literals('purge_failed', 'bucket_not_active')),
  requestedBy: text,
  createdAt: time,
  startedAt: orNull(time),
  completedAt: orNull(time),
});

/** A page of purges. */
export const purgesAnswer = answer('Purges', { items: listOf(purgeAnswer), nextCursor: orNull(text) });
