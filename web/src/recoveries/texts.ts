import type { ReactNode } from 'react'
import { plural, count } from '../common/format/numbers.ts'
import { sentence } from '../common/ui/sentence.ts'

export const texts = {
  // recovery-words.ts
  failedDeliveries: 'Failed deliveries',
  missedEvents: 'Missed events',
  deliveries: ({ number }: { number: number }) => plural(number, 'delivery', 'deliveries'),
  events: ({ number }: { number: number }) => plural(number, 'event'),
  manyFailed: ({ most }: { most: number }) =>
    `More than ${count(most)} deliveries failed for good in this time.`,
  nothingFailed: 'Nothing failed for good in this time.',
  failedForGood: ({ things }: { things: string }) => `${things} failed for good in this time.`,
  manyMissed: ({ most }: { most: number }) =>
    `More than ${count(most)} events were missed, or too many to count quickly.`,
  nothingMissed: 'No event was missed in this time.',
  missed: ({ total }: { total: number }) => `${plural(total, 'event was', 'events were')} missed.`,
  isQueued: 'queued',
  isRunning: 'running',
  isDone: 'done',
  isStopped: 'stopped',
  stoppedOnRequest: 'Somebody stopped it. What it had queued goes on.',
  theWebhookWasDeleted: 'The webhook was deleted.',
  stoppedAsFailing:
    'It stopped because one delivery after the other failed again: the endpoint is not back yet. What it had not queued kept its attempts. Repair the endpoint, send a test event until it arrives, then recover again.',
  queued: ({ queued }: { queued: number }) => `${count(queued)} queued`,
  queuedOf: ({ queued, total }: { queued: number; total: number }) =>
    `${count(queued)} of ${count(total)} queued`,
  recoveryQueued: 'The recovery is queued.',
  recoveryIs: ({ state, progress }: { state: string; progress: string }) =>
    `The recovery is ${state}: ${progress}.`,
  recoveryRunning: 'The recovery is running.',
  recoveryRunningAt: ({ percent }: { percent: number }) => `The recovery is running: ${percent} % queued.`,
  waitsForCompany: 'The company is suspended: the recovery waits until the operator resumes it.',
  waitsForWebhook: 'The webhook is inactive: the recovery waits until it is activated.',
  waitsForTurn: 'Five recoveries of the company run at a time: this one waits for its turn.',
  waitsForEndpoint:
    'The endpoint fails: the recovery waits for the next try of a single delivery, and stops when three of them failed.',
  waitsForAnswers: 'The recovery waits for answers to what it has queued.',
  waitsForLast: 'All are queued; the last answers are awaited.',

  // missed-offer.tsx
  whileInactive: ({ found }: { found: string }) =>
    `${found} They happened while the webhook was inactive, and made no delivery.`,
  inactiveFrom: ({ since }: { since: ReactNode }) => sentence`Inactive from ${since}.`,
  inactiveFromTo: ({ since, until }: { since: ReactNode; until: ReactNode }) =>
    sentence`Inactive from ${since} to ${until}.`,
  notNow: 'Not now',
  recoverAllOfThem: 'Recover all of them',
  recoverThings: ({ things }: { things: string }) => `Recover ${things}`,

  // recovery-window.ts
  last24Hours: 'Last 24 hours',
  lastHour: 'Last hour',
  last7Days: 'Last 7 days',
  ownWindow: 'From … to …',
  sinceItBeganToFail: 'From 5 minutes before it began to fail',
  sinceTheLastSuccess: 'From 5 minutes before the last success',
  sinceItIsInactive: 'Since it became inactive',
  itsLatestPause: 'Its latest pause',
  sayBegin: 'Say when it begins.',
  beginBeforeNow: 'It must begin before now.',

  // failing-offer.tsx
  theEndpointFails: 'The endpoint fails',
  wouldFailAgain:
    'What is recovered now would fail again. Send a test event until one arrives, then recover. A recovery that begins all the same waits for the next try, and stops when three of them failed.',
  recoverAllTheSame: 'Recover all the same',

  // start-recovery.tsx
  fromTo: ({ since, until }: { since: ReactNode; until: ReactNode }) => sentence`From ${since} to ${until}.`,
  now: 'now',
  cancel: 'Cancel',

  // recover-form.tsx
  failedMeans:
    'Deliveries that failed for good are sent again, the oldest first, each with a full set of attempts.',
  missedMeans:
    'Events that happened while the webhook was inactive are sent, if it subscribed to their type then and does so now.',
  what: 'What',
  created: 'Created',
  itWouldWait: 'It would wait',

  // recovery-progress.tsx
  goesOn: 'It goes on when you close this page.',
  barLabel: 'How much of the recovery is queued',
  theEndpointStillFails: 'The endpoint still fails',
  stop: 'Stop',

  // recover-dialog.tsx
  recover: 'Recover',
  recoverAllThatFailed: 'Recover all that failed…',
  recoverMissedEvents: 'Recover missed events',
  recoverDeliveries: 'Recover deliveries',
  oneAtATime:
    'This webhook has a recovery already, and one runs at a time. When it is over, you can begin another one.',
  allRecoveriesOfThisWebhook: 'All recoveries of this webhook',
  close: 'Close',

  // recovery-list.tsx
  begun: 'Begun',
  by: 'By',
  howFar: 'How far',
  window: 'Window',
  ended: 'Ended',
  recoveries: 'Recoveries',
  span: ({ since, until }: { since: ReactNode; until: ReactNode }) => sentence`${since} to ${until}`,
  empty: 'Nothing was recovered yet',
  emptyWhy:
    'A recovery sends again what failed while your endpoint was down, or what a paused webhook missed.',
}
