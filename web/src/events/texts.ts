import type { ReactNode } from 'react'
import { count, plural } from '../common/format/numbers.ts'
import { sentence } from '../common/ui/sentence.ts'

export const texts = {
  // events.tsx
  events: 'Events',
  published: 'Published',
  catalog: 'Catalog',

  // event-list.tsx
  nothingPublished: 'Nothing was published yet',
  noEventYet: 'Create a contact, or publish an event.',

  // catalog.tsx
  forYourCode: ({ types }: { types: ReactNode }) => sentence`For your code: ${types}`,
  allEventsAsTypescript: 'all events as TypeScript',
  searchEvents: 'Search events',
  noEventFound: 'No event has that in its name.',
  noWebhookGetsIt: 'No webhook gets it.',
  sentTo: 'Sent to:',
  jsonSchemaOf: ({ name }: { name: string }) => `JSON Schema of ${name}`,
  exampleOf: ({ name }: { name: string }) => `Example of ${name}`,

  // reach.ts
  notSubscribed: 'It does not get this type',
  filterDoesNotMatch: 'Its filter does not match',
  wasInactive: 'It was inactive then',

  // event-page.tsx
  event: 'Event',
  eventOfType: ({ type }: { type: string }) => `Event ${type}`,
  whereItWent: 'Where it went',
  payload: 'Payload',
  whatChanged: 'What changed',
  field: 'Field',
  before: 'Before',
  now: 'Now',
  gone: 'no longer there',
  sendToAWebhook: 'Send to a webhook',

  // event-facts.tsx
  facts: 'Facts',
  publishedBy: 'Published by',
  theKey: ({ name }: { name: ReactNode }) => sentence`key ${name}`,
  commandLine: "the operator's command line",
  notKnown: 'unknown (published before this was recorded)',
  how: 'How',
  viaEvent: 'published as an event',
  viaRecord: 'by a change of a record',
  viaTest: 'as a test event',
  happened: 'Happened',
  exactly: 'Exactly',
  subject: 'Subject',
  revision: 'Revision',
  eventIdLabel: 'Event id',
  eventId: 'event id',
  deliveries: 'Deliveries',
  allItsDeliveries: 'All its deliveries',

  // event-webhooks.tsx
  noWebhookThen:
    'No webhook was there when it happened, or what is known of that was deleted after its time of keeping.',
  showAllWebhooks: ({ number }: { number: number }) => `Show all ${count(number)} webhooks`,
  state: 'State',
  webhook: 'Webhook',
  responseOrReason: 'Response or reason',
  when: 'When',
  action: 'Action',
  notSent: 'not sent',
  hasDelivery: 'has a delivery',
  seeDelivery: 'See its delivery',
  sentByHand: 'sent by hand',
  deliveryCount: ({ number }: { number: number }) => plural(number, 'delivery', 'deliveries'),
  queuedFor: ({ name }: { name: string }) => `Queued for ${name}.`,
  retry: 'Retry',
  resend: 'Resend',
  sendIt: 'Send',
  resendAll: ({ number }: { number: number }) => `Resend to ${count(number)} finished`,

  // send-to-webhook.tsx
  sendTo: ({ name }: { name: string }) => `Send this event to “${name}”`,
  sendThisEvent: 'Send this event to a webhook',
  sendMeans: ({ type }: { type: string }) =>
    `The endpoint gets this ${type} once, whatever its types and its filter say; these stay as they are. The audit tells that you sent it.`,
  sentToOne: ({ name }: { name: string }) => `Queued for ${name}`,
  lookAtTheNewDelivery: 'Look at the new delivery',
  close: 'Close',
  cancel: 'Cancel',
}
