import { registerHooks } from 'node:module';

// Tells each module of OpenTelemetry that the process loads, as a line of its output. prom-client loads the interface
// by itself.
registerHooks({
  load(url, context, nextLoad) {
    if (/\/@opentelemetry\/(?!api\/)/.test(url)) console.log(`loaded ${url.slice(url.indexOf('/@opentelemetry/'))}`);
    return nextLoad(url, context);
  },
});
