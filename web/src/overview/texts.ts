import type { ReactNode } from 'react'
import { plural, count, percent } from '../common/format/numbers.ts'
import { sentence } from '../common/ui/sentence.ts'

export const texts = {
  // attention.ts
  isInactive: 'inactive',
  isFailing: 'failing',
  isExpiring: 'expiring',
  deactivated: ({ cause }: { cause: string }) => `The service deactivated it. ${cause}`,
  failedInARow: ({ attempts, cause }: { attempts: number; cause: string }) =>
    `${plural(attempts, 'attempt')} failed in a row. ${cause}`,
  inRotation: 'in rotation',
  oldKeyStops: 'The old key stops working.',
  theKeyExpires: 'The key expires.',

  unwell: ({ unwell, webhooks }: { unwell: number; webhooks: number }) =>
    unwell === webhooks
      ? webhooks === 1
        ? 'Your webhook needs attention'
        : `All ${count(webhooks)} webhooks need attention`
      : `${count(unwell)} of ${plural(webhooks, 'webhook')} ${unwell === 1 ? 'needs' : 'need'} attention`,
  keysEnd: ({ keys }: { keys: number }) =>
    `${plural(keys, 'API key')} ${keys === 1 ? 'stops' : 'stop'} working within a week`,
  allWell: 'No webhook needs attention',

  // concern-action.tsx
  sendTest: 'Send test',

  // endpoint-rates.tsx
  endpoint: 'Endpoint',
  successRate: 'Success rate',
  byHour: 'By hour',
  failed: 'Failed',
  attempts: 'Attempts',
  endpointsWorstFirst: 'Endpoints in the last 24 hours, worst first',
  shownOf: ({ shown, number }: { shown: number; number: number }) =>
    `${count(shown)} of ${count(number)} shown`,
  allWebhooks: 'All webhooks',
  endpoints: 'Endpoints',
  noAttempt: 'no attempt',
  attemptsOfDay: ({ attempts, failures }: { attempts: number; failures: number }) =>
    `${plural(attempts, 'attempt')} in 24 hours, ${count(failures)} of them failed`,

  // first-steps-list.tsx
  firstSteps: 'First steps',
  stepDone: 'done',
  stepCreate: 'Create a webhook',
  stepCreateMeans: 'Name the endpoint of your server and the events that it gets.',
  createWebhook: 'Create webhook',
  stepSend: 'Send a test event',
  stepSendMeans: 'An example event goes to your endpoint, signed as the real ones are.',
  stepSee: 'See it arrive',
  stepSeeMeans: 'The delivery shows each attempt, with what your endpoint answered.',
  stepSeeAnswer: 'It counts as arrived once your endpoint answers 2xx. The delivery shows what it answered.',
  seeDelivery: 'See the delivery',

  // overview.tsx
  overview: 'Overview',
  yesterday: ({ rate }: { rate: string }) => `${rate} yesterday (UTC)`,
  succeeded: 'Succeeded',
  ofAttempts: ({ attempts }: { attempts: number }) => `of ${plural(attempts, 'attempt')}`,
  ofAll: ({ failures, attempts }: { failures: number; attempts: number }) =>
    `${percent(failures, attempts)} of all`,
  deliveriesWaiting: 'Deliveries waiting',
  waitingFor: 'for a retry, or an active webhook',
  needsAttention: 'Needs attention',
  allNotices: 'All notices',
  more: ({ number, webhooks, keys }: { number: number; webhooks: ReactNode; keys: ReactNode }) =>
    sentence`${count(number)} more: see ${webhooks} and ${keys}.`,
  webhooks: 'webhooks',
  apiKeys: 'API keys',
  attemptsOfAllWebhooks: 'Attempts of all webhooks',
  noAttemptMade: 'No attempt was made in this time.',
}
