import { startCluster } from './cluster/cluster.ts';

/** `npm run cluster`: runs the program as separate processes with real servers on this machine, until Ctrl-C. */
console.log('Starting servers and processes:');
const cluster = await startCluster({ apiPort: 3000, log: (line) => console.log(line) });
if ('unavailable' in cluster) {
  console.error(`The cluster cannot be started here: ${cluster.unavailable}`);
  process.exit(1);
}
const headers = `-H 'Authorization: ApiKey ${cluster.standardKey}' -H 'X-Organization-Id: ${cluster.organizationId}'`;
console.log(`
The cluster is ready.
  API           ${cluster.apiUrl}/api/content/v1
  organization  ${cluster.organizationId}
  admin key     ${cluster.adminKey}
  standard key  ${cluster.standardKey}
  logs          ${cluster.folder}

Try:
  curl ${cluster.apiUrl}/api/content/v1/capabilities ${headers}
  export PLY_API_URL=${cluster.apiUrl} PLY_ORGANIZATION_ID=${cluster.organizationId} PLY_API_KEY=${cluster.standardKey}
  npm run ply -- add docs
  npm run ply -- search "a lease that ran out"

Ctrl-C stops everything and removes its data.`);

let isStopping = false;
const stop = (): void => {
  if (isStopping) return;
  isStopping = true;
  console.log('Stopping ...');
  cluster.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
