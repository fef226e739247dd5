import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Badge } from '../../ui/states.tsx';
import { connectorMessages } from './messages.ts';

/** A connector as the API shows it. */
export type Connector = components['schemas']['Connector'];

/** Files that are looked at for what could not be indexed. */
const looked = 100;

/**
 * Files that a connector brought and that could not be indexed, the newest first; no more than are looked at.
 * @param every milliseconds between two looks; left out, one look has to do
 */
export function useUnreadFiles(
  connectorId: string,
  every: number | false = false,
): UseQueryResult<components['schemas']['Activity']> {
  return useQuery({
    queryKey: ['connectors', connectorId, 'unread'],
    queryFn: () =>
      answered(
        api.GET('/api/content/v1/activity', { params: { query: { connectorId, state: 'failed', limit: looked } } }),
      ),
    refetchInterval: every,
  });
}

/** How a connector stands, in a few words. */
export function ConnectorState({ connector }: { connector: Connector }): ReactElement {
  const t = useMessages(connectorMessages);
  const unread = useUnreadFiles(connector.connectorId);
  const { enabled, syncPending, lastError, lastSummary, failures } = connector;
  if (!enabled) return <Badge>{t('off')}</Badge>;
  if (syncPending) return <Badge>{t('waiting')}</Badge>;
  if (lastError !== null) return <Badge tone="bad">{t('failed')}</Badge>;
  if (lastSummary === null) return <Badge>{t('fresh')}</Badge>;
  // A file that was brought well may fail later, when it is indexed.
  const failed = Math.max(lastSummary.failed, failures.length) + (unread.data?.items.length ?? 0);
  if (failed > 0) return <Badge tone="warn">{t('some', { count: failed })}</Badge>;
  return <Badge tone="good">{t('fine')}</Badge>;
}
