import { expect } from 'chai'
import { Registry } from 'prom-client'
import type { BufferedMetricUpdate } from '@temporalio/worker'
import { SdkMetrics } from '../../../src/process/temporal/sdk-metrics.ts'

type Kind = BufferedMetricUpdate['metric']['kind']

const update = (name: string, kind: Kind, value: number, attributes = {}, unit?: string) =>
  ({ metric: { name, kind, unit, description: `Of ${name}` }, value, attributes }) as BufferedMetricUpdate

/** The samples of a metric in /metrics after the updates. */
async function samplesOf(updates: readonly BufferedMetricUpdate[], name: string): Promise<string[]> {
  const text = await new SdkMetrics(() => updates).beside(new Registry()).metrics()
  return text.split('\n').filter((line) => line.startsWith(name))
}

// decision: The metrics of Temporal's SDK
describe('the metrics of Temporal’s SDK', () => {
  it('have Prometheus names: counters add up, gauges hold the latest, times are in seconds, and only known labels show', async () => {
    const queue = { task_queue: 'q', service_name: 'core', stranger: 'x' }
    const updates = [
      ...[2, 3].map((value) => update('temporal_request', 'counter', value, queue)),
      ...[7, 4].map((value) => update('temporal_num_pollers', 'gauge', value, queue)),
      ...[5, -2].map((value) => update('temporal_open', 'up-down-counter', value)),
      update('temporal_local_activity_total', 'counter', 1),
      update('temporal_wait', 'histogram', 0.2, {}, 's'),
      update('temporal_size', 'histogram', 2_000, {}, 'By'),
    ]
    for (const [name, expected] of [
      ['temporal_request', 'temporal_request_total{task_queue="q"} 5'],
      ['temporal_num_pollers', 'temporal_num_pollers{task_queue="q"} 4'],
      ['temporal_open', 'temporal_open 3'],
      ['temporal_local_activity', 'temporal_local_activity_total 1'],
      ['temporal_wait_seconds_bucket{le="0.25', 'temporal_wait_seconds_bucket{le="0.25"} 1'],
      ['temporal_wait_seconds_bucket{le="0.1', 'temporal_wait_seconds_bucket{le="0.1"} 0'],
      ['temporal_size_bucket{le="10000"', 'temporal_size_bucket{le="10000"} 1'],
    ] as const)
      expect(await samplesOf(updates, name)).to.deep.equal([expected])
  })

  it('have a bounded number of labels, whatever workflows strangers start on our task queue, and count what they leave out', async () => {
    const types = Array.from({ length: 10_000 }, (_, n) => ({ workflow_type: `stranger-${n}` }))
    const again = types.map((attributes) => ({ ...attributes }))
    const updates = [...types, ...again].map((attributes) => update('temporal_x', 'counter', 1, attributes))
    expect(await samplesOf(updates, 'temporal_x_total')).to.have.length(500)
    const lost = await samplesOf(updates, 'temporal_sdk_metric_updates_lost_total')
    expect(lost).to.deep.equal(['temporal_sdk_metric_updates_lost_total 19000'])
  })
})
