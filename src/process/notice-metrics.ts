import { Counter, type Registry } from 'prom-client'
import { NOTICE_KINDS } from '../domain/notice/notice.ts'

const BATCH_RESULTS = ['sent', 'failed'] as const

/** The metrics of notices. Each label begins at 0, so that an alert on an increase sees the first one. */
export function createNoticeMetrics(registers: Registry[]) {
  const metrics = countersOf(registers)
  for (const kind of NOTICE_KINDS) metrics.notices.inc({ kind }, 0)
  for (const result of BATCH_RESULTS) metrics.noticeBatches.inc({ result }, 0)
  return metrics
}

const countersOf = (registers: Registry[]) => ({
  notices: new Counter({
    name: 'notices_total',
    help: 'Notices that this worker told, by kind.',
    labelNames: ['kind'] as const,
    registers,
  }),
  noticeBatches: new Counter({
    name: 'notice_batches_total',
    help: 'Batches of notices that this worker sent to NOTICE_URL, by result.',
    labelNames: ['result'] as const,
    registers,
  }),
})
