import { plural } from '../common/format/numbers.ts'

export const texts = {
  // channels.tsx
  channels: 'Notice channels',
  addChannel: 'Add channel',
  empty: 'Nobody is told of notices yet. Add a mail address, a Slack channel or an HTTPS endpoint.',
  meaning: 'Each channel is told of the notices of live and sandbox.',

  // channel-table.tsx
  channel: 'Channel',
  told: 'Told of',
  pause: 'Pause',
  state: 'State',
  lastMessage: 'Last message',
  actions: 'Actions',
  kinds: { email: 'Email', slack: 'Slack', https: 'HTTPS endpoint' },
  everything: 'everything',
  some: ({ kinds }: { kinds: number }) => plural(kinds, 'kind'),
  never: 'none yet',
  test: 'Test',
  enterCode: 'Enter code',
  change: 'Change',
  remove: 'Remove',

  // channel-state.tsx
  unconfirmed: 'waits for its code',
  works: 'works',
  fails: 'fails',
  off: 'failed, switched off',
  paused: 'switched off',

  // test-answer.tsx
  testArrived: ({ target }: { target: string }) => `The test to ${target} arrived`,
  testFailed: ({ target }: { target: string }) => `The test to ${target} did not arrive`,

  // add-channel.tsx
  kind: 'Kind',
  email: 'Email address',
  emailMeans: 'It is mailed a code first, which you enter here.',
  noMail: 'This service sends no mail: its operator has set no mail server.',
  slackUrl: 'URL of the incoming webhook',
  slackMeans: 'Slack, or whatever takes the same JSON. In Slack: Apps, Incoming Webhooks.',
  httpsUrl: 'URL of the endpoint',
  httpsMeans: 'It gets JSON, signed with a secret that is shown once.',
  toldOf: 'Kinds of notices',
  toldOfMeans: 'None chosen: all of them.',
  shortestPause: 'Shortest time between two messages',
  pauseMeans: 'What happens meanwhile comes as one message.',
  add: 'Add',
  cancel: 'Cancel',
  added: ({ target }: { target: string }) => `${target} is added. Test it.`,
  storeSecret: 'Store the signing secret',

  // channel-fields.tsx
  name: 'Name',

  // change-channel.tsx
  changeTitle: ({ target }: { target: string }) => `Change ${target}`,
  isOn: 'Switched on',
  isOnMeans: 'Notices that come while it is off are not sent, also not later.',
  anotherAddress: 'Leave it empty to keep the address. Another one is mailed a code first.',
  anotherUrl: 'Leave it empty to keep the URL. A signing secret stays as it is.',
  save: 'Save',
  changed: ({ target }: { target: string }) => `${target} is changed.`,

  // confirm-channel.tsx
  confirmTitle: ({ target }: { target: string }) => `Confirm ${target}`,
  codeMailed: 'A code of eight digits is on its way to the address. After five wrong ones, add it anew.',
  code: 'Code',
  confirm: 'Confirm',
  confirmed: ({ target }: { target: string }) => `${target} is told of notices from now on.`,

  // remove-channel.tsx
  removeTitle: ({ target }: { target: string }) => `Remove ${target}?`,
  removeMeans:
    'It is told nothing any more, not even what waits for it. The list of notices keeps everything.',
  removed: ({ target }: { target: string }) => `${target} is removed.`,
}
