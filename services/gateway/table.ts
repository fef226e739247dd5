import type { Route } from './route.ts';
import { analyticsRoutes } from './routes/analytics.ts';
import { answerRoutes } from './routes/answers.ts';
import { assetRoutes } from './routes/assets.ts';
import { collectionRoutes } from './routes/collections.ts';
import { connectorRoutes } from './routes/connectors.ts';
import { libraryRoutes } from './routes/library.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { settingsRoutes } from './routes/settings.ts';
import { transcriptRoutes } from './routes/transcript.ts';
import { tuningRoutes } from './routes/tuning.ts';

/**
 * Every operation of the API. The routes, the validation and the published description are made from it; what is
 * not in it is not reachable.
 */
export const routeTable: readonly Route[] = [...assetRoutes, ...transcriptRoutes, ...libraryRoutes, ...answerRoutes, ...collectionRoutes, ...tuningRoutes, ...organizationRoutes, ...settingsRoutes, ...connectorRoutes, ...analyticsRoutes];
