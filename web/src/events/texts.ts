import type { ReactNode } from 'react'
import { sentence } from '../common/ui/sentence.ts'

export const texts = {
  // events.tsx
  eventCatalog: 'Event catalog',
  forYourCode: ({ types }: { types: ReactNode }) => sentence`For your code: ${types}`,
  allEventsAsTypescript: 'all events as TypeScript',
  searchEvents: 'Search events',
  noEventFound: 'No event has that in its name.',
  noWebhookGetsIt: 'No webhook gets it.',
  sentTo: 'Sent to:',
  jsonSchemaOf: ({ name }: { name: string }) => `JSON Schema of ${name}`,
  exampleOf: ({ name }: { name: string }) => `Example of ${name}`,
}
