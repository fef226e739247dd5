/* Asks the process of this container how it is, for the image's health check: `live` or `ready`. */

const question = process.argv[2] === 'ready' ? 'ready' : 'live';
const port = process.env.PLY_METRICS_PORT || '3030';
// A listener on all addresses is asked on the loopback one.
const named = process.env.PLY_HOST || '127.0.0.1';
const host = named === '0.0.0.0' || named === '::' ? '127.0.0.1' : named;

try {
  const answer = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/health/${question}`, {
    signal: AbortSignal.timeout(4000),
  });
  if (!answer.ok) console.error(`${question}: ${await answer.text()}`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  console.error(`${question}: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
