import type { ReactNode } from 'react'
import { quoted } from '../common/format/cut-text.ts'
import { plural, count } from '../common/format/numbers.ts'
import { sentence } from '../common/ui/sentence.ts'

export const texts = {
  // allowlist-editor.tsx
  ipAllowlist: 'IP allowlist',
  allowlistHow:
    'One address or range per line, IPv4 or IPv6: 203.0.113.7, 10.0.0.0/8, 2001:db8::/32. Empty permits every address.',
  addMyAddress: ({ address }: { address: string }) => `Add my address (${address})`,
  faultAtLine: ({ line, message }: { line: number; message: string }) => `Line ${line}: ${message}`,
  testAnAddress: 'Test an address',
  anAddress: 'for example 192.0.2.10',
  testHow: 'Whether this list would let it in. Nothing is saved.',
  wouldBeLetIn: 'would be let in',
  wouldBeRefused: 'would be refused',

  // expiry.ts
  neverExpires: 'Never expires',
  days30: '30 days',
  days90: '90 days',
  days365: '365 days',
  atADate: 'At a date',

  // expiry-input.tsx
  expires: 'Expires',
  lastMoment: 'Last moment (your time)',

  // key-words.ts
  readOnly: 'Read only',
  publishEvents: 'Publish events',
  manageWebhooks: 'Manage webhooks',
  /** A list in words. `others`: all entries but the last, joined by commas. */
  and: ({ others, last }: { others: string; last: string }) => `${others} and ${last}`,
  doEverything: 'do everything, without exception',
  readEverything: 'read everything',
  readThese: ({ records }: { records: string }) => `read ${records}`,
  changeEverything: 'change everything',
  changeThese: ({ records }: { records: string }) => `change ${records}`,
  doNothingYet: 'do nothing yet',
  fromAnyAddress: 'from any address',
  fromOnly: ({ entries }: { entries: string }) => `from ${entries} only`,
  fromMany: ({ number }: { number: number }) => `from ${number} addresses or ranges only`,
  scopeCount: ({ number }: { number: number }) => `${number} scopes`,

  // key-sentence.tsx
  keyMay: ({ scopes, addresses, until }: { scopes: string; addresses: string; until: ReactNode }) =>
    sentence`This key may ${scopes}, ${addresses}, ${until}.`,
  until: ({ when }: { when: ReactNode }) => sentence`until ${when}`,
  untilRevoked: 'until it is revoked',
  untilIncomplete: 'until a date that is not complete',

  // new-key-shown.tsx
  yourNewApiKey: 'Your new API key',
  key: 'key',
  envTab: '.env',
  curlTab: 'curl',
  envLine: 'line for a .env file',
  curlWithKey: 'curl command with the key',

  // owner-input.tsx
  owner: 'Owner',
  me: 'Me',

  // scope-picker.tsx
  scopesAtLeastOne: 'Scopes (at least one)',
  presets: 'Presets',
  records: 'Records',
  readColumn: 'Read',
  write: 'Write',
  includedIn: ({ scope }: { scope: string }) => `in ${scope}`,
  notGrantable: 'you may not grant it',

  // create-key.tsx
  shared: 'Shared',
  personal: 'Personal',
  chooseScope: 'Choose at least one scope.',
  chooseDate: 'Choose a date and a time.',
  createApiKey: 'Create API key',
  name: 'Name',
  description: 'Description',
  type: 'Type',
  personalMeans: 'Belongs to one person, and is revoked when that person leaves the company.',
  sharedMeans: 'Belongs to the company. For services.',
  onlyAdminsShare: 'Only admins create Shared keys.',
  mayEverything: 'This key may do everything',
  preferFew: 'Prefer the few scopes that the program needs.',
  createKey: 'Create key',
  cancel: 'Cancel',
  whatItMay: 'What this key may do',

  // key-access.ts
  rotate: 'Rotate',
  disable: 'Disable',
  enable: 'Enable',
  revoke: 'Revoke',

  // rotate-dialog.tsx
  rotateTitle: ({ name }: { name: string }) => `Rotate ${quoted(name)}`,
  rotateMeans:
    'You get a new key with the same scopes, allowlist, type and name. Both keys work until the grace period ends, so you can exchange them without a gap.',
  gracePeriod: 'Grace period',
  newKeyExpires: 'The new key expires',
  sameLength: 'As long from now as this key had',
  oldKeyStops: ({ at, newKey }: { at: ReactNode; newKey: ReactNode }) =>
    sentence`The old key stops working at ${at}. ${newKey}`,
  newKeyNeedsDate: 'The new key needs a date and a time.',
  newKeyNeverExpires: 'The new key does not expire.',
  newKeyExpiresAt: ({ when }: { when: ReactNode }) => sentence`The new key expires at ${when}.`,

  // key-dialogs.tsx
  keyIsNow: ({ state }: { state: string }) => `The key is ${state}.`,
  enabled: 'enabled',
  disabled: 'disabled',
  enableTitle: ({ name }: { name: string }) => `Enable ${quoted(name)}`,
  disableTitle: ({ name }: { name: string }) => `Disable ${quoted(name)}`,
  enableMeans: 'Requests with this key are accepted again at once.',
  disableMeans: 'Requests with this key are refused at once. You can enable it again.',
  revokeTitle: ({ name }: { name: string }) => `Revoke ${quoted(name)} for good`,
  revokeForGood: 'Revoke for good',
  revokeMeans: 'Requests with this key are refused from now on. Nobody can undo this.',
  rotateInstead: 'To change the key without a gap, rotate it instead.',

  // key-allowlist.tsx
  allowlistSaved: 'The allowlist is saved.',
  everyAddressMay: 'Every address may use this key.',
  onlyTheseMay: ({ addresses }: { addresses: string }) => `Only these may: ${addresses}`,
  saveAllowlist: 'Save allowlist',
  discard: 'Discard',
  savedNow: ({ value }: { value: string }) => `Saved now: ${value || 'nothing'}. Save again to replace it.`,

  // key-settings.tsx
  scopesAndWho: ({ scopes }: { scopes: string }) =>
    `Scopes: ${scopes}. Only its owner and admins change this key.`,
  keySaved: 'The key is saved.',
  noLongerWorks: 'This key no longer works, so only its name and description can change.',
  save: 'Save',

  // key-state.tsx
  isActive: 'active',
  inRotation: 'in rotation',
  isExpired: 'expired',
  isRevoked: 'revoked',
  worksUntil: ({ when }: { when: string }) => `works until ${when}`,

  // key-usage.tsx
  unused: 'No request yet',
  unusedMeans: 'How often the key is used, for what and from where shows here after its first request.',
  lastHour: 'Last hour',
  todayUtc: 'Today (UTC)',
  thisWeek: 'This week',
  thisMonth: 'This month',
  total: 'Total',
  lastUsed: 'Last used',
  noAddressYet: 'no address yet',
  fromAddress: ({ address }: { address: string }) => `from ${address}`,
  noRequest: 'No request in the last 30 days.',
  requestsByDay: 'Requests by day',
  usageSummary: (is: {
    sum: number
    day: string
    most: number
    clientErrors: number
    serverErrors: number
  }) =>
    `${plural(is.sum, 'request')} in the last 30 days, the most on ${is.day}: ${count(is.most)}. Answered with 4xx: ${count(is.clientErrors)}, with 5xx: ${count(is.serverErrors)}.`,
  noClassKnown: ({ requests }: { requests: number }) =>
    `${plural(requests, 'request')} in the last 30 days; how they were answered was not counted.`,
  unknown: 'unknown',
  endpoints: 'Latest endpoints',
  endpoint: 'Endpoint',
  noEndpoint: 'No endpoint used yet.',
  fromAddresses: 'Latest addresses',
  address: 'Address',
  noAddress: 'No address yet.',

  // replaced-key.tsx
  oldKeyWorks: 'The old key still works',
  bothWork: ({ when, link }: { when: ReactNode; link: ReactNode }) =>
    sentence`Until ${when} both keys are accepted. ${link}`,
  lookAtTheOldKey: 'Look at the old key',

  // key-detail.tsx
  prefixOfTheKey: 'prefix of the key',
  usage: 'Usage',
  allowlist: 'Allowlist',
  settings: 'Settings',
  history: 'History',
  keyOf: ({ type, userName }: { type: string; userName: string }) => `${type} key of ${userName}`,
  scopesLabel: 'Scopes',
  presetOf: ({ preset, scopes }: { preset: string; scopes: string }) => `${preset} (${scopes})`,
  allowedAddresses: 'Allowed addresses',
  entries: ({ number }: { number: number }) => plural(number, 'entry', 'entries'),
  created: 'Created',
  revoked: 'Revoked',
  replacedBy: 'Replaced by',
  itsNewKey: 'its new key',

  // key-filters.tsx
  allStates: 'All states',
  active: 'Active',
  stateInRotation: 'In rotation',
  stateDisabled: 'Disabled',
  expired: 'Expired',
  allTypes: 'All types',
  allScopes: 'All scopes',
  search: 'Search',
  nameOrPrefix: 'Name or prefix',
  state: 'State',
  scope: 'Scope',

  // key-menu.tsx
  actionsFor: ({ name }: { name: string }) => `Actions for ${name}`,
  edit: 'Edit',

  // key-row.tsx
  prefixOf: ({ name }: { name: string }) => `prefix of ${name}`,
  theOldKeyUntil: ({ when }: { when: ReactNode }) => sentence`Old key until ${when}`,
  theNewKey: 'Its new key',
  any: 'any',
  never: 'never',
  requestsOf: ({ month, day }: { month: number; day: number }) =>
    `${plural(month, 'request')} this month, ${count(day)} today`,

  // key-list.tsx
  addresses: 'Addresses',
  requests: 'Requests',
  actions: 'Actions',
  apiKeys: 'API keys',
  noKeys: 'No API keys yet',
  empty: 'Programs call the API with a key.',
}
