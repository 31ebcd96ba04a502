import { FIXED_PATHS } from '../receiver/fixed-paths.ts'
import type { Proof } from './prove.mjs'
import type { DemoUser } from './seed.mjs'
import { DEMO_RETRY_SCHEDULE } from './settings.ts'

type Parts = {
  readonly urls: { readonly api: string; readonly worker: string }
  /** Base URL; undefined for a server that was not launched here. */
  readonly temporalUi: string | undefined
  readonly namespace: string
  /** Base URL. */
  readonly receiver: string
  /** WEBHOOK_RETRY_SCHEDULE of the demo. */
  readonly schedule: string
  readonly key: string
  readonly user: DemoUser
  readonly proofs: readonly Proof[]
}

/** What a start tells its user: where everything is and what was proven. */
export function describeDemo(parts: Parts): string {
  const { urls, temporalUi, namespace, receiver, schedule, key, user, proofs } = parts
  const lines = [
    '',
    'Proof of delivery: one contact was created, its contact.created event went to both demo webhooks',
    ...proofs.flatMap(({ path, deliveryId, attempts, statuses, isVerified }) => [
      `  ${path}: success at attempt ${attempts} (answered ${statuses.join(', ')}); ` +
        `signature ${isVerified ? 'verified by the receiver' : 'NOT VERIFIED'}`,
      temporalUi === undefined
        ? `    delivery ${deliveryId}`
        : `    ${temporalUi}/namespaces/${namespace}/workflows/${deliveryId}`,
    ]),
    '',
    `Console       ${urls.api}/console/ (sign in as ${user.email} with the password ${user.password})`,
    `API           ${urls.api}`,
    `Worker        ${urls.worker} (health and metrics)`,
    ...(temporalUi === undefined ? [] : [`Temporal UI   ${temporalUi}`]),
    `Receiver      ${receiver} (verifies the signatures of all webhooks that lead to it)`,
    ...FIXED_PATHS.map(({ path, says }) => `  ${path.padEnd(12)}  ${says}`),
    `  ${'other paths'.padEnd(12)}  answer 200`,
    `Retries       ${describeSchedule(schedule)}`,
    `Demo key      ${key}`,
    '',
    `Try           curl -H 'Authorization: Bearer ${key}' ${urls.api}/api-v1-webhooks`,
    '',
  ]
  return lines.join('\n')
}

function describeSchedule(schedule: string): string {
  const delays = `after ${schedule.split(',').join(', ')}`
  return schedule === DEMO_RETRY_SCHEDULE ? `${delays} (the default schedule takes days)` : delays
}
