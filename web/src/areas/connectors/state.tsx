import type { ReactElement } from 'react';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Badge } from '../../ui/states.tsx';
import { connectorMessages } from './messages.ts';

/** A connector as the API shows it. */
export type Connector = components['schemas']['Connector'];

/** How a connector stands, in a few words. */
export function ConnectorState({ connector }: { connector: Connector }): ReactElement {
  const t = useMessages(connectorMessages);
  const { enabled, syncPending, lastError, lastSummary } = connector;
  if (!enabled) return <Badge>{t('off')}</Badge>;
  if (syncPending) return <Badge>{t('waiting')}</Badge>;
  if (lastError !== null) return <Badge tone="bad">{t('failed')}</Badge>;
  if (lastSummary === null) return <Badge>{t('fresh')}</Badge>;
  if (lastSummary.failed > 0) return <Badge tone="warn">{t('some', { count: String(lastSummary.failed) })}</Badge>;
  return <Badge tone="good">{t('fine')}</Badge>;
}
