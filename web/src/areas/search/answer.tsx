import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { addressOf } from '../viewer/address.ts';
import { searchMessages } from './messages.ts';
import { bodyOf, readingOf } from './query.ts';
import type { Asked } from './routes.ts';

/** An answer made of the files, on request, with citations that lead to where they stand. */
export function AnswerBox({ asked }: { asked: Asked }): ReactElement {
  const t = useMessages(searchMessages);
  const request = useMutation({
    mutationFn: () => answered(api.POST('/api/content/v1/answer', { body: { limit: 8, offset: 0, ...bodyOf(asked) } })),
  });
  if (request.isIdle)
    return (
      <div>
        <Button onClick={() => request.mutate()}>{t('ask')}</Button>
      </div>
    );
  if (request.isPending) return <Skeletons lines={3} />;
  if (request.isError) return <FailureNotice error={request.error} onRetry={() => request.mutate()} />;
  const { answer, citations } = request.data;
  return (
    <section className="card stack" aria-label={t('answer')}>
      <h2>{t('answer')}</h2>
      <p>{answer ?? t('nothing')}</p>
      <ol className="citations">
        {citations.map(({ number, assetId, filename, location }) => (
          <li key={number}>
            <Link to="/files/$assetId" params={{ assetId }} search={{ ...addressOf(location), ...readingOf(asked) }}>
              {t('source', { number, filename })}
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}
