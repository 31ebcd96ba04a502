import { inMs } from '../../common/format/durations.ts'
import { count } from '../../common/format/numbers.ts'

export const texts = {
  // test-event.tsx
  sendTestEvent: 'Send test event',
  chooseTestEvent: 'Choose and edit a test event',

  // test-content.ts
  noJson: 'This is no JSON: a comma, a quote or a bracket is missing or too much.',
  noJsonAt: ({ line, column }: { line: number; column: number }) =>
    `Line ${line}, column ${column}: this is no JSON. A comma, a quote or a bracket is missing or too much.`,
  testNoObject: 'It must be an object, with data and what else the event tells.',
  testNoData: 'It must have data, and these must be an object.',
  testUnknownPart: ({ name }: { name: string }) =>
    `An event has no "${name}": it may have subject, revision, data and previous. The service adds the others.`,
  testTooLarge: ({ bytes }: { bytes: number }) =>
    `It has ${count(Math.ceil(bytes / 1024))} KiB; a test event may have 256 KiB.`,

  // test-dialog.tsx
  sendATestEvent: 'Send a test event',
  typeOfTheEvent: 'Event type',
  testContent: 'Payload',
  testContentMeans: 'JSON with data, and subject, revision and previous where the event has them.',
  testIsTold:
    'The webhook gets it whatever its types and its filter say. Its id begins with evt_test_, so that your endpoint can tell it from real ones.',
  backToTheExample: 'Back to the example',

  // test-outcome.tsx
  noResponseCame: 'It did not arrive: no response',
  arrived: ({ status }: { status: number }) => `It arrived: response ${status}`,
  answered: ({ status }: { status: number }) => `The endpoint answered ${status}`,
  resultAfter: ({ result, durationMs }: { result: string; durationMs: number }) =>
    `${result} after ${inMs(durationMs)}`,
  sentType: ({ type }: { type: string }) => `Sent: ${type}.`,
  dismiss: 'Close this result',
  bodyOfTheResponse: 'Body of the response',
  lookAtThisDelivery: 'Look at this delivery',
  editTheUrl: 'Edit the URL',
}
