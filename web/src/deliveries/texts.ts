import type { ReactNode } from 'react'
import { plural, count } from '../common/format/numbers.ts'
import { sentence } from '../common/ui/sentence.ts'

export const texts = {
  // filters.ts
  anyTime: 'Any time',
  lastHour: 'Last hour',
  last24Hours: 'Last 24 hours',
  last7Days: 'Last 7 days',
  last30Days: 'Last 30 days',
  ownTimes: 'Custom range',
  allStates: 'All states',
  notArrived: 'Not arrived',
  waiting: 'Waiting',
  failed: 'Failed',
  retrying: 'Retrying',
  pending: 'Pending',
  delivered: 'Delivered',
  allResponses: 'All responses',
  noResponse: 'No response',

  // time-filter.tsx
  created: 'Created',

  // delivery-filters.tsx
  state: 'State',
  event: 'Event',
  allEvents: 'All events',
  response: 'Response',

  // delivery-status.tsx
  statePending: 'pending',
  stateDelivered: 'delivered',
  stateRetrying: 'retrying',
  stateFailed: 'failed',
  waitsForCompany: 'waits until the company is resumed',
  waitsForWebhook: 'waits until the webhook is active',
  waitsForEndpoint: 'waits because the endpoint fails',
  suspended: 'suspended',
  inactive: 'inactive',
  failing: 'endpoint fails',
  nextTry: 'next try:',
  due: 'due',

  // delivery-row.tsx
  subject: 'Subject',
  resent: 'resent',
  attemptsOf: ({ attempts, maxAttempts }: { attempts: number; maxAttempts: number }) =>
    `${attempts} of ${maxAttempts}`,
  selectDeliveryOf: ({ eventId }: { eventId: string }) => `Select the delivery of ${eventId}`,

  // send-outcomes.tsx
  whatCameOfEach: 'What came of each',
  result: 'Result',
  refused: 'refused',
  queued: 'queued',
  lookAtIt: 'Look at it',
  lookAtTheNewDelivery: 'Look at the new delivery',

  // send-dialog.tsx
  deliveryCount: ({ number }: { number: number }) => plural(number, 'delivery', 'deliveries'),
  retrySelected: 'Retry the selected deliveries',
  retry: 'Retry',
  retryMeans: ({ number }: { number: number }) =>
    `${plural(number, 'delivery is', 'deliveries are')} sent again. A retry has a full set of attempts where the delivery had failed.`,
  retryDone: 'queued for retry.',
  resendSelected: 'Resend the selected deliveries',
  resend: 'Resend',
  resendMeans: ({ number }: { number: number }) =>
    `${plural(number, 'delivery is', 'deliveries are')} sent once more as a new delivery, also where it had arrived. It has the same webhook-id: an endpoint that drops repetitions drops it.`,
  resendDone: 'resent, each as a new delivery.',
  progress: ({ sent, all }: { sent: number; all: string }) =>
    `${count(sent)} of ${all}. Closing this stops it.`,
  close: 'Close',
  cancel: 'Cancel',
  doneAndRefused: ({ done, refused }: { done: string; refused: string }) => `${done} ${refused} refused.`,

  // selected-actions.tsx
  actOnSelected: ({ verb, number }: { verb: string; number: number }) => `${verb} ${number} selected`,
  clearSelection: 'Clear',
  selectUndelivered: 'Select undelivered',
  ofTheLoadedRows: 'Of the rows that are loaded',
  selected: ({ number }: { number: number }) => `${count(number)} selected`,
  leavesOut: {
    retry: ({ number }: { number: number }) => `Retry leaves out ${count(number)} that arrived.`,
    resend: ({ number }: { number: number }) =>
      `Resend leaves out ${count(number)}: test events, and deliveries whose attempts still go on.`,
  },

  // delivery-table.tsx
  select: 'Select',
  webhook: 'Webhook',
  attempts: 'Attempts',
  duration: 'Duration',
  deliveries: 'Deliveries',

  // tail-news.tsx
  nothingNewYet: 'Nothing new yet',
  newDeliveries: ({ number }: { number: number }) => plural(number, 'new delivery', 'new deliveries'),

  // delivery-list.tsx
  clearFilters: 'Clear filters',
  followLive: 'Follow live',
  onlyTheLatest: 'Follow live looks at the latest deliveries alone. Switch it off to see older ones.',
  recoverInstead: ({ webhook }: { webhook: ReactNode }) =>
    sentence`To send all that failed, choose Recover on the page of a ${webhook}.`,
  aWebhook: 'webhook',
  nothingSent: 'Nothing was sent yet',
  empty:
    'A delivery is made when an event happens that an active webhook subscribes to: create a contact, or send a test event from the page of a webhook.',

  // steps.ts
  dns: 'DNS',
  connect: 'connect',
  tls: 'TLS',
  rest: 'rest',
  firstByte: 'first byte',

  // attempt-entry.tsx
  bySchedule: 'by schedule',
  byHand: 'by hand',
  testEvent: 'test event',
  byARecovery: 'by a recovery',
  attempt: ({ number }: { number: number }) => `Attempt ${number}`,
  responseGone: 'Its response is no longer kept: only those of the latest 20 attempts are.',
  responseHeaders: 'Response headers',
  responseHeadersCut: 'Response headers (cut, 2 KiB are kept)',
  headersOf: ({ number }: { number: number }) => `Headers of the response to attempt ${number}`,
  responseBody: 'Response body (the first 16 KiB are kept)',
  bodyOf: ({ number }: { number: number }) => `Body of the response to attempt ${number}`,
  headersNotKept: 'Response headers: not kept.',
  emptyBody: '(empty)',

  // attempts.tsx
  noAttemptWasMadeYet: 'No attempt was made yet.',
  showEarlier: ({ number }: { number: number }) => `Show ${plural(number, 'earlier attempt')}`,
  earlierAttempts: 'Earlier attempts',

  // diagnosis.tsx
  whyItDidNotArrive: 'Why it did not arrive',

  // json-tree.tsx
  moreSeeRaw: ({ shown }: { shown: number }) => `… ${shown} more: see Raw`,

  // verify-signature.ts
  secretForm: 'The secret must be whsec_ and what follows it, as it was shown.',
  timestampForm: 'webhook-timestamp must be whole Unix seconds.',
  signatureForm: 'webhook-signature must hold v1, and the signature.',
  signatureRight: 'The signature is right: the request was ours, unchanged, signed with this secret.',
  signatureWrong:
    'The signature is wrong for this secret, timestamp and payload. Was the secret replaced since?',

  // verify-dialog.tsx
  verifyASignature: 'Verify a signature',
  verifyHow:
    'Enter what your endpoint received with this event. The secret stays in this page: it is sent nowhere.',
  signingSecret: 'Signing secret',
  secretExample: 'begins with whsec_',
  timestampHeader: 'webhook-timestamp',
  signatureHeader: 'webhook-signature',
  signatureExample: 'begins with v1,',
  showTheSecret: 'Show the secret',
  right: 'right',
  wrong: 'wrong',
  verify: 'Verify',

  // payload.tsx
  eventDeleted: 'The event was deleted after its time of keeping.',
  payload: 'payload',
  copyPayload: 'Copy payload',
  asCurl: 'as curl',
  copyAsCurl: 'Copy as curl',
  tree: 'Tree',
  raw: 'Raw',
  request: 'Request',
  payloadAsItIsSent: 'Payload as it is sent',

  // use-resend.tsx
  resentAsNew: 'Resent as a new delivery',
  canDropTheRepeat: ({ link }: { link: ReactNode }) =>
    sentence`The receiver sees the same webhook-id and can drop the repeat. ${link}`,

  // retry-outcome.ts
  attemptIsQueued: ({ number }: { number: number }) => `Attempt ${number} is queued`,
  shownHere: ({ attempt }: { attempt: string }) => `${attempt}. What comes of it is shown here.`,
  itArrived: 'It arrived',
  atAttempt: ({ attempts }: { attempts: number }) => `At attempt ${attempts}.`,
  noOtherPlanned: 'No other is planned.',
  nextBySchedule: ({ maxAttempts }: { maxAttempts: number }) =>
    `The next attempt follows by the schedule; attempt ${maxAttempts} is the last.`,
  attemptFailed: ({ number }: { number: number }) => `Attempt ${number} failed`,

  // use-retry.tsx
  retryNow: 'Retry now',

  // summary.tsx
  facts: 'Facts',
  latestDuration: 'Latest duration',
  nextAttempt: 'Next attempt',
  eventIdLabel: 'Event id',
  eventId: 'event id',
  deliveryIdLabel: 'Delivery id',
  deliveryId: 'delivery id',
  resentFrom: 'Resent from',
  workflow: 'Workflow',
  nonePlanned: 'none planned',
  eventOf: ({ id }: { id: ReactNode }) => sentence`the event of ${id}`,

  // inspector.tsx
  deliveryOf: ({ eventType }: { eventType: string }) => `Delivery of ${eventType}`,
  aDelivery: 'Delivery',
  retryNowMeans: 'Retry now makes an attempt at once. If it fails, more follow by the schedule.',
  resendNowMeans: 'Resend makes a new delivery of the same event, also after a success.',
  payloadTitle: 'Payload',
  workflowInTemporalNewTab: 'Temporal (new tab)',

  // deliveries.tsx
}
