import { FIXED_PATHS } from '../receiver/fixed-paths.mjs'
import { DEMO_RETRY_SCHEDULE } from './settings.mjs'

/**
 * What a start tells its user: where everything is and what was proven.
 *
 * @param {object} parts
 * @param {{ api: string, worker: string }} parts.urls
 * @param {string | undefined} parts.temporalUi base URL; undefined for a server that was not launched here
 * @param {string} parts.namespace
 * @param {string} parts.receiver base URL
 * @param {string} parts.schedule WEBHOOK_RETRY_SCHEDULE of the demo
 * @param {string} parts.key
 * @param {import('./seed.mjs').DemoUser} parts.user
 * @param {ReadonlyArray<import('./prove.mjs').Proof>} parts.proofs
 * @returns {string}
 */
export function describeDemo({ urls, temporalUi, namespace, receiver, schedule, key, user, proofs }) {
  const workflowUrl = (/** @type {string} */ id) => `${temporalUi}/namespaces/${namespace}/workflows/${id}`
  const lines = [
    '',
    'Proof of delivery: one contact was created, its contact.created event went to both demo webhooks',
    ...proofs.flatMap(({ path, deliveryId, attempts, statuses, isVerified }) => [
      `  ${path}: success at attempt ${attempts} (answered ${statuses.join(', ')}); ` +
        `signature ${isVerified ? 'verified by the receiver' : 'NOT VERIFIED'}`,
      ...(temporalUi === undefined ? [`    delivery ${deliveryId}`] : [`    ${workflowUrl(deliveryId)}`]),
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

/** @param {string} schedule @returns {string} */
function describeSchedule(schedule) {
  const delays = `after ${schedule.split(',').join(', ')}`
  return schedule === DEMO_RETRY_SCHEDULE ? `${delays} (the default schedule takes days)` : delays
}
