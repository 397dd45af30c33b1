// What the process measures, as Prometheus reads it. The library is loaded after the first answer, not at the start.

export type Metrics = ReturnType<typeof createMetrics>;
export function createMetrics() {
  let loading: ReturnType<typeof load> | undefined;
  const loaded = () => (loading ??= load());
  return {
    /** A request that was answered; `route` is a pattern, never an address. */
    observe: (request: { method: string; route: string; status: number }, seconds: number) =>
      void loaded().then(({ requests }) => requests.observe(request, seconds)),
    /** Calls that are in no request log, because the database did not take them in time. */
    requestsDropped: (count: number) => void loaded().then(({ dropped }) => dropped.inc(count)),
    async text() {
      const { registry } = await loaded();
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}

async function load() {
  const { collectDefaultMetrics, Counter, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'atrium_http_request_duration_seconds',
    help: 'Time from reading the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const dropped = new Counter({
    name: 'atrium_request_log_dropped_total',
    help: 'Calls that the request log lost: it never makes a request wait.',
    registers: [registry],
  });
  return { registry, requests, dropped };
}
