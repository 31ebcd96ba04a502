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

  // concern-action.tsx
  sendTest: 'Send test',

  // concern-list.tsx
  nothingToDo: 'Nothing: every endpoint responds, and no key is about to expire.',

  // endpoint-rates.tsx
  endpoint: 'Endpoint',
  successRate: 'Success rate',
  last24Hours: 'Last 24 hours',
  failed: 'Failed',
  attempts: 'Attempts',
  endpointsWorstFirst: 'Endpoints, worst first',
  allWebhooks: 'All webhooks',
  endpoints: 'Endpoints',
  noAttempt: 'no attempt',
  attemptsOfDay: ({ attempts, failures }: { attempts: number; failures: number }) =>
    `${plural(attempts, 'attempt')} in 24 hours, ${count(failures)} of them failed`,

  // overview.tsx
  overview: 'Overview',
  successRateOfDay: 'Success rate, 24 h',
  yesterday: ({ rate }: { rate: string }) => `${rate} yesterday (UTC)`,
  succeededOfDay: 'Attempts succeeded, 24 h',
  ofAttempts: ({ attempts }: { attempts: number }) => `of ${plural(attempts, 'attempt')}`,
  failedOfDay: 'Attempts failed, 24 h',
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
