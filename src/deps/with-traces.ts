import type { Deps } from './deps.ts'

/**
 * Gives a process its traces if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise nothing of OpenTelemetry is loaded.
 *
 * @param instanceId the `service.instance.id`
 */
export async function withTraces<Parts extends Deps>(
  parts: Parts,
  service: 'api' | 'worker',
  instanceId: string,
): Promise<Parts> {
  const { tracing } = parts.config
  if (!tracing) return parts
  const { startTraces } = await import('./open-telemetry.ts')
  parts.log.info({ sampler: tracing.sampler, share: tracing.share }, 'traces are sent')
  return { ...parts, traces: startTraces(tracing, { service, instanceId }, parts) }
}
