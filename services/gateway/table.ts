import type { Route } from '../../mixins/http/api/route.ts';
import { analyticsRoutes } from './routes/analytics.ts';
import { answerRoutes } from './routes/answers.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { assetRoutes } from './routes/assets.ts';
import { auditLogRoutes } from './routes/audit-log.ts';
import { bucketRoutes } from './routes/buckets.ts';
import { collectionRoutes } from './routes/collections.ts';
import { connectorRoutes } from './routes/connectors.ts';
import { domainRoutes } from './routes/domains.ts';
import { deliveryAnalyticsRoutes } from './routes/delivery-analytics.ts';
import { libraryRoutes } from './routes/library.ts';
import { linkRoutes } from './routes/links.ts';
import { objectRoutes } from './routes/objects.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { peopleRoutes } from './routes/people.ts';
import { planRoutes } from './routes/plan.ts';
import { profileRoutes } from './routes/profile.ts';
import { purgeRoutes } from './routes/purges.ts';
import { settingsRoutes } from './routes/settings.ts';
import { storageAccountRoutes } from './routes/storage-account.ts';
import { storageCredentialRoutes } from './routes/storage-credentials.ts';
import { transcriptRoutes } from './routes/transcript.ts';
import { tuningRoutes } from './routes/tuning.ts';
import { videoLibraryRoutes } from './routes/video-libraries.ts';
import { videoRoutes } from './routes/videos.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { usageRoutes } from './routes/usage.ts';

/**
 * Every operation of the API. Routes, validation and the published description are made from it; nothing else is
 * reachable with a key.
 */
export const routeTable: readonly Route[] = [
  ...assetRoutes,
  ...transcriptRoutes,
  ...libraryRoutes,
  ...answerRoutes,
  ...collectionRoutes,
  ...tuningRoutes,
  ...organizationRoutes,
  ...profileRoutes,
  ...peopleRoutes,
  ...apiKeyRoutes,
  ...settingsRoutes,
  ...connectorRoutes,
  ...analyticsRoutes,
  ...bucketRoutes,
  ...deliveryAnalyticsRoutes,
  ...auditLogRoutes,
  ...linkRoutes,
  ...objectRoutes,
  ...domainRoutes,
  ...purgeRoutes,
  ...storageAccountRoutes,
  ...planRoutes,
  ...storageCredentialRoutes,
  ...videoLibraryRoutes,
  ...videoRoutes,
  ...webhookRoutes,
  ...usageRoutes,
];
