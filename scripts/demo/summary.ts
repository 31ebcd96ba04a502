import { FIXED_PATHS } from '../receiver/fixed-paths.ts'
import { serviceUrls } from '../stack/services.ts'
import type { Proof } from './prove.mjs'
import type { Demo } from './seed.mjs'
import { DEMO_RETRY_SCHEDULE } from './settings.ts'

type Parts = {
  /** Of the service. */
  readonly env: NodeJS.ProcessEnv
  readonly demo: Pick<Demo, 'key' | 'user'>
  /** Base URL; undefined for a server that was not launched here. */
  readonly temporalUi: string | undefined
  readonly proofs: readonly Proof[]
}

/** What a start tells its user: where everything is and what was proven. */
export function describeDemo({ env, demo, temporalUi, proofs }: Parts): string {
  const { api, worker } = serviceUrls(env)
  const { key, user } = demo
  const lines = [
    '',
    'Proof of delivery: one contact was created, its contact.created event went to both demo webhooks',
    ...proofs.flatMap(({ path, deliveryId, attempts, statuses, isVerified }) => [
      `  ${path}: success at attempt ${attempts} (answered ${statuses.join(', ')}); ` +
        `signature ${isVerified ? 'verified by the receiver' : 'NOT VERIFIED'}`,
      temporalUi === undefined
        ? `    delivery ${deliveryId}`
        : `    ${temporalUi}/namespaces/${env['TEMPORAL_NAMESPACE']}/workflows/${deliveryId}`,
    ]),
    '',
    `Console       ${api}/console/ (sign in as ${user.email} with the password ${user.password})`,
    `API           ${api}`,
    `Worker        ${worker} (health and metrics)`,
    ...(temporalUi === undefined ? [] : [`Temporal UI   ${temporalUi}`]),
    `Receiver      https://127.0.0.1:${env['RECEIVER_PORT']} (verifies the signatures of all webhooks that lead to it)`,
    ...FIXED_PATHS.map(({ path, says }) => `  ${path.padEnd(12)}  ${says}`),
    `  ${'other paths'.padEnd(12)}  answer 200`,
    `Retries       ${describeSchedule(env['WEBHOOK_RETRY_SCHEDULE'])}`,
    `Demo key      ${key}`,
    '',
    `Try           curl -H 'Authorization: Bearer ${key}' ${api}/api-v1-webhooks`,
    '',
  ]
  return lines.join('\n')
}

function describeSchedule(schedule = ''): string {
  const delays = `after ${schedule.split(',').join(', ')}`
  return schedule === DEMO_RETRY_SCHEDULE ? `${delays} (the default schedule takes days)` : delays
}
