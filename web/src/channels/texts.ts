import type { ReactNode } from 'react'
import { sentence } from '../common/ui/sentence.ts'

export const texts = {
  // channels.tsx
  channels: 'Notice channels',
  addChannel: 'Add channel',
  empty: 'Nobody is told of notices yet',
  emptyWhy: 'Add an email address, a Slack channel or an HTTPS endpoint.',
  meaning: 'Each channel gets the notices of live and of the sandbox.',

  // channel-card.tsx
  told: 'Gets',
  pause: 'How often',
  atMostOne: ({ span }: { span: string }) => `at most one message every ${span}`,
  lastMessage: 'Last message',
  kinds: { email: 'Email', slack: 'Slack', https: 'HTTPS endpoint' },
  everything: 'everything',
  never: 'none yet',
  lastTest: ({ when }: { when: ReactNode }) => sentence`last test: ${when}`,
  lastTestFailed: ({ when }: { when: ReactNode }) => sentence`last test failed: ${when}`,
  test: 'Test',
  enterCode: 'Enter code',
  change: 'Change',
  remove: 'Remove',

  // channel-state.tsx
  unconfirmed: 'waits for its code',
  works: 'works',
  notTriedYet: 'nothing arrived yet',
  fails: 'fails',
  off: 'failed, switched off',
  paused: 'switched off',

  // test-answer.tsx
  testArrived: ({ target }: { target: string }) => `The test to ${target} arrived`,
  testFailed: ({ target }: { target: string }) => `The test to ${target} did not arrive`,

  // add-channel.tsx
  kind: 'Kind',
  email: 'Email address',
  emailMeans: 'We mail it a code first, which you enter here.',
  noMail: 'This service sends no mail: its operator has set no mail server.',
  slackUrl: 'URL of the incoming webhook',
  slackMeans: 'In Slack: Apps, Incoming Webhooks. Other services that take the same JSON work too.',
  httpsUrl: 'URL of the endpoint',
  httpsMeans: 'It gets JSON, signed with a secret that you see once.',
  toldOf: 'Kinds of notices',
  toldOfMeans: 'Choose none to get all of them.',
  shortestPause: 'Shortest time between two messages',
  pauseMeans: 'What happens in between comes as one message.',
  add: 'Add',
  added: ({ target }: { target: string }) => `${target} is added. Test it.`,
  storeSecret: 'Store the signing secret',

  // channel-fields.tsx
  name: 'Name',

  // change-channel.tsx
  changeTitle: ({ target }: { target: string }) => `Change ${target}`,
  isOn: 'Switched on',
  isOnMeans: 'While it is off, nothing is sent, and nothing is sent later either.',
  nowIs: ({ target }: { target: string }) => `now ${target}`,
  another: {
    email: 'Leave it empty to keep the address. A new one is mailed a code first.',
    slack: 'Leave it empty to keep the URL.',
    https: 'Leave it empty to keep the URL. The signing secret stays as it is.',
  },
  save: 'Save',
  loadSaved: 'Load what is saved now',
  changed: ({ target }: { target: string }) => `${target} is changed.`,

  // confirm-channel.tsx
  confirmTitle: ({ target }: { target: string }) => `Confirm ${target}`,
  codeMailed:
    'A code of eight digits is on its way to the address. After five wrong codes, add the address again.',
  code: 'Code',
  confirm: 'Confirm',
  confirmed: ({ target }: { target: string }) => `${target} gets notices from now on.`,

  // remove-channel.tsx
  removeTitle: ({ target }: { target: string }) => `Remove ${target}?`,
  removeMeans:
    'Nothing is sent to it any more, not even what waits for it. The list of notices keeps everything.',
  removed: ({ target }: { target: string }) => `${target} is removed.`,
}
