import type { ReactNode } from 'react'
import type { WebhookChange } from '../common/api/wire.ts'
import { quoted } from '../common/format/cut-text.ts'
import { inWords } from '../common/format/durations.ts'
import { plural, count, percent } from '../common/format/numbers.ts'
import { sentence } from '../common/ui/sentence.ts'

/** How many deliveries of a webhook did not arrive, by state, without zeros. A recovery counts only those in its window. */
function notArrivedParts(waiting: number, failed: number): string {
  const parts = [
    ...(waiting > 0 ? [plural(waiting, 'delivery waits', 'deliveries wait')] : []),
    ...(failed > 0
      ? [`${plural(failed, 'delivery', 'deliveries')} failed for good in all, test events included`]
      : []),
  ]
  return parts.length === 0 ? '' : `${parts.join(', and ')}.`
}

export const texts = {
  // use-send-test.ts
  testResult: ({ name, result }: { name: string; result: string }) => `Test event to ${name}: ${result}.`,
  testResponse: ({ name, status }: { name: string; status: number }) =>
    `Test event to ${name}: response ${status}.`,
  itArrived: 'It arrived.',

  // attempt-charts.tsx
  seriesFailed: 'failed',
  seriesSucceeded: 'succeeded',
  attemptsBy: ({ unit }: { unit: string }) => `Attempts by ${unit}`,
  thoseNotArrived: 'those not arrived',
  attemptsSummary: ({ attempts, failures }: { attempts: number; failures: number }) =>
    `${plural(attempts, 'attempt')}, ${count(failures)} of them failed.`,
  errorRate: 'Error rate',
  errorRateSummary: ({ failures, attempts }: { failures: number; attempts: number }) =>
    `${percent(failures, attempts)} of all attempts failed.`,
  duration: 'Duration',
  durationSummary: ({ p50, p95 }: { p50: string; p95: string }) =>
    `Half of the attempts took ${p50} at most, 95 % took ${p95}.`,
  percentilesEstimated: 'Durations are counted in ranges; a percentile is estimated inside of its range.',
  theSameAsATable: 'The same as a table',
  attemptsByTime: 'Attempts by time',
  from: 'From',
  attempts: 'Attempts',
  failed: 'Failed',
  noResponse: 'no response',
  responses: 'Responses',
  response: 'Response',
  share: 'Share',

  // webhook-metrics.tsx
  day: '24 hours',
  week: '7 days',
  month: '30 days',
  time: 'Time',
  noAttempt: 'No attempt was made in this time.',
  successRate: 'Success rate',

  // verify-tabs.tsx
  program: ({ name }: { name: string }) => `${name} program`,

  // secret-shown.tsx
  secret: 'secret',
  checkWithIt: 'Check with it that a request is ours, over the bytes of its body as they came:',

  // event-picker.tsx
  eventsAtLeastOne: 'Events (at least one)',
  searchEvents: 'Search events',
  noEventFound: 'No event has that in its name.',
  allOf: ({ family }: { family: string }) => `All of ${family}`,

  // use-hidden-values.tsx
  showValues: 'Show values',
  onlyAdmins: 'Only an admin may see the values.',

  // webhook-summary.tsx
  getsNoEvent: 'Gets no event yet: choose at least one.',
  getsAllEvents: ({ all }: { all: number }) => `Gets all ${plural(all, 'event type')}.`,
  getsEvents: ({ chosen, all }: { chosen: number; all: number | undefined }) =>
    all === undefined
      ? `Gets ${plural(chosen, 'event type')}.`
      : `Gets ${count(chosen)} of ${plural(all, 'event type')}.`,
  oneAttempt: 'One attempt, no retry.',
  attemptsWithin: ({ attempts, seconds }: { attempts: number; seconds: number }) =>
    `Up to ${plural(attempts, 'attempt')} within ${inWords(seconds)}.`,
  onlyWhatPasses: 'Only events that pass the filter.',
  getsNothingYet: 'Inactive: nothing is sent until it is activated.',

  // retry-plan.ts
  noRetry: 'One attempt and no retry: an event is lost when the endpoint does not answer 2xx at once.',
  then: ', then ',
  eachTime: ({ seconds, times }: { seconds: number; times: number }) =>
    `${inWords(seconds)} (${times} times)`,
  plan: ({ attempts, delays, seconds }: { attempts: number; delays: string; seconds: number }) =>
    `Up to ${attempts} attempts: retried after ${delays}. Given up about ${inWords(seconds)} after the first attempt.`,

  // webhook-form.ts
  delaysForm: 'Write delays with commas between: 5s, 5m, 2h',
  filterForm: 'The filter must be a JSON object.',
  chooseEvent: 'Choose at least one event.',
  renamedHeader: 'Type the value of the header that you renamed: the stored one is hidden.',
  sameHeader: 'A header has the same name as another one.',

  // header-editor.tsx
  headerExample: 'for example authorization',
  customHeaders: 'Custom headers',
  header: ({ number }: { number: number }) => `Header ${number}`,
  headerValue: ({ number }: { number: number }) => `Value ${number}`,
  showTheValue: 'Show the value',
  hiddenStays: '(hidden, stays as it is)',
  keepStoredHeader: ({ number }: { number: number }) => `Keep stored header ${number}`,
  keepStored: 'Keep stored',
  removeHeader: ({ number }: { number: number }) => `Remove header ${number}`,
  remove: 'Remove',
  addHeader: 'Add header',

  // retry-input.tsx
  automaticRetries: 'Automatic retries',
  ownSchedule: 'Own schedule',
  scheduleExample: 'for example 5s, 5m, 2h',
  scheduleHow: 'The wait before each retry. The last one repeats. Empty for the schedule of the service.',

  // webhook-fields.tsx
  urlExample: 'for example https://hooks.example.com/sales',
  urlHow: 'Where the events are sent: https, at a public address.',
  traceparentMeans:
    'Deliveries carry this header (W3C Trace Context), so that the trace of an event goes on at the endpoint.',
  inactiveMeans: 'An inactive webhook gets nothing: events that happen meanwhile make no delivery.',

  // The settings that forms edit, by the API's names; webhook-merge.ts compares these.
  fields: {
    name: 'Name',
    description: 'Description',
    url: 'URL',
    events: 'Events',
    headers: 'Headers',
    max_retries: 'Retries',
    retry_schedule: 'Retry schedule',
    filter: 'Filter',
    send_traceparent: 'Send traceparent',
    is_active: 'Active',
  } satisfies Record<keyof WebhookChange, string>,

  // webhook-merge.ts
  newValueOf: ({ name }: { name: string }) => `${name} (new value)`,
  noValue: '(none)',
  yes: 'yes',
  no: 'no',

  // create-webhook.tsx
  createWebhook: 'Create webhook',
  whatItDoes: 'What this webhook does',
  secretOfNew: 'The signing secret of your webhook',

  // merge-dialog.tsx
  changedByOther: 'Somebody else changed this webhook',
  compareAndSave:
    'Your changes are not saved yet. Compare, choose, and save. Other fields that you changed are saved as well.',
  sameAsYours: 'What changed is the same as in your form, or not part of it.',
  backToTheForm: 'Back to the form',
  saveThisChoice: 'Save this choice',
  untouched: ({ name, now }: { name: string; now: ReactNode }) =>
    sentence`${name}, which you did not touch, is now: ${now}`,
  yours: 'Yours:',
  theirs: ({ value }: { value: ReactNode }) => sentence`Theirs: ${value}`,

  // edit-webhook.tsx
  editWebhook: 'Edit webhook',
  webhookSaved: 'The webhook is saved.',
  save: 'Save',

  // receiving-guide.tsx
  whatArrives: 'What arrives',
  whatArrivesText: ({
    id,
    event,
    createdAt,
    data,
    catalog,
    idHeader,
    timestampHeader,
    signatureHeader,
  }: {
    id: ReactNode
    event: ReactNode
    createdAt: ReactNode
    data: ReactNode
    catalog: ReactNode
    idHeader: ReactNode
    timestampHeader: ReactNode
    signatureHeader: ReactNode
  }) =>
    sentence`A POST with the event as JSON: ${id}, ${event}, ${createdAt} and ${data}. ${catalog} has an example of each type. Three headers belong to the signature: ${idHeader}, ${timestampHeader} and ${signatureHeader}.`,
  theEventCatalog: 'The event catalog',
  checkTitle: 'Check that it is ours',
  checkText:
    'Take the body as the bytes that came, before any JSON parser. Answer 401 to what does not verify. The secret was shown when the webhook was made; an admin can make a new one on its page.',
  answer: 'Answer',
  answerFast: 'Keep the event, answer 2xx within seconds, and do the work afterwards.',
  otherAnswers: 'Any other answer, and none, is a failure and is tried again. 410 deactivates the webhook.',
  noRedirects: 'Redirects are never followed: change the URL of the webhook.',
  repeats: 'An event may come twice, with the same webhook-id: drop the repeat and answer 2xx.',
  noOrder: 'No order is guaranteed: compare updated_at of the records.',
  wholeApi: 'The whole API, to read and to try (new tab)',
  receivingWebhooks: 'Receiving webhooks',

  // health-badge.tsx
  isHealthy: 'healthy',
  isFailing: 'failing',
  isDegraded: 'degraded',
  never: 'never',
  nothingDeliveredYet: 'nothing delivered yet',

  // health-notice.tsx
  deactivatedGone: 'Its endpoint answered 410 Gone, so the service deactivated it.',
  deactivatedBacklog: 'Too many deliveries waited, so the service deactivated it.',
  deactivatedFailing: 'Its endpoint failed for days, so the service deactivated it.',
  nothingIsSent: ({ reason }: { reason: ReactNode }) =>
    sentence`${reason} Nothing is sent. Events that happen meanwhile make no delivery, and can be recovered afterwards; what waits goes out when the webhook is activated.`,
  inactive: 'Inactive',
  hintAndLastSuccess: ({ hint, when }: { hint: string; when: ReactNode }) =>
    sentence`${hint} Last success: ${when}.`,
  failing: ({ cause, since, attempts }: { cause: string; since: ReactNode; attempts: number }) =>
    sentence`${cause} Failing since ${since}: ${plural(attempts, 'attempt')} in a row.`,
  notArrived: ({ waiting, failed, link }: { waiting: number; failed: number; link: ReactNode }) =>
    sentence`${notArrivedParts(waiting, failed)} ${link}`,
  lookAtThem: 'View undelivered.',

  // use-activation.ts
  webhookIsNow: ({ state }: { state: string }) => `The webhook is ${state}.`,
  stateInactive: 'inactive',
  stateActive: 'active',

  // webhook-dialogs.tsx
  newSecretTitle: 'The new signing secret',
  newSecretFor: ({ name }: { name: string }) => `Make a new signing secret for ${quoted(name)}`,
  makeNewSecret: 'Make a new secret',
  oldSecretStops:
    'The old secret stops now: your endpoint refuses requests until it knows the new one. Refused deliveries are retried.',
  deleteTitle: ({ name }: { name: string }) => `Delete ${quoted(name)}`,
  deleteAndCancel: ({ name, waiting }: { name: string; waiting: number }) =>
    `Delete ${quoted(name)} and cancel ${plural(waiting, 'delivery', 'deliveries')}`,
  delete: 'Delete',
  webhookDeleted: ({ name }: { name: string }) => `The webhook «${name}» is deleted.`,
  historyGoes: ({ cancelled }: { cancelled: string }) =>
    `${cancelled} Its history is gone from the console. Nobody can undo this.`,
  nothingCancelled: 'No delivery waits, so none is cancelled.',
  cancelledToo: ({ waiting }: { waiting: number }) =>
    `${plural(waiting, 'delivery that waits is', 'deliveries that wait are')} cancelled.`,

  // webhook-actions.tsx
  moreActions: 'More actions',
  edit: 'Edit',
  deactivate: 'Deactivate',
  activate: 'Activate',
  newSecret: 'New secret',

  // webhook-detail.tsx
  deliveries: 'Deliveries',
  recoveries: 'Recoveries',
  metrics: 'Metrics',
  settings: 'Settings',
  history: 'History',
  docs: 'Docs',

  // webhook-pulse.tsx
  dayInWords: ({ rate, attempts }: { rate: string; attempts: number }) =>
    `${rate} of ${plural(attempts, 'attempt')} succeeded in 24 hours`,
  noAttemptInDay: 'No attempt in 24 hours',

  // webhook-row.tsx
  attemptsFail: ({ rate }: { rate: string }) => `${rate} fail`,
  isActive: ({ name }: { name: string }) => `${name} is active`,
  succeededOf: ({ successes, attempts }: { successes: number; attempts: number }) =>
    `${count(successes)} of ${count(attempts)} attempts`,
  attemptsOfDay: ({ attempts, failures }: { attempts: number; failures: number }) =>
    `${plural(attempts, 'attempt')} in 24 hours, ${count(failures)} of them failed`,

  // webhook-table.tsx
  state: 'State',
  success24H: 'Success, 24 h',
  waiting: 'Waiting',
  lastDelivery: 'Last delivery',
  webhooks: 'Webhooks',

  // webhook-list.tsx
  allStates: 'All states',
  worstFirst: 'Webhooks that fail or were deactivated come first, then the newest.',
  search: 'Search',
  nameOrUrl: 'Name or URL',
  howToCheck: 'How a server checks that a request is ours',
  noWebhooks: 'No webhooks yet',
  empty: 'A webhook sends events to a server of yours as soon as they happen.',
  newer: 'Newer',
  pageOf: ({ page, total }: { page: number; total: number }) => `Page ${page} of ${total}`,
  older: 'Older',
}
