import type { ReactNode } from 'react'
import { inWords } from '../format/durations.ts'
import { sentence } from './sentence.ts'

export const texts = {
  // dialog.tsx
  close: 'Close',
  closeThis: 'Close this?',
  inputIsLost: 'What you entered here will be lost.',
  stay: 'Stay',

  // test-badge.tsx
  test: 'test',

  // theme.ts
  dismissThisMessage: 'Dismiss this message',

  // toasts.tsx
  undo: 'Undo',
  messageAndRequest: ({ message, requestId }: { message: string; requestId: string }) =>
    `${message} Tell the operator this request id: ${requestId}`,

  // refusal-notice.tsx
  retryIn: ({ seconds }: { seconds: number }) => `You can try again in ${inWords(seconds)}.`,
  requestId: ({ id }: { id: ReactNode }) => sentence`Tell the operator this request id: ${id}`,
  tryAgain: 'Try again',

  // loaded.tsx
  loading: 'Loading',

  // page-title.tsx
  tabTitle: ({ title }: { title: string }) => `${title} · Console`,

  // screen-boundary.tsx
  screenFailed: 'This screen could not be shown',
  screenFailedWhy: 'The connection may be lost, or the service was updated meanwhile.',
  loadThePageAgain: 'Load the page again',

  // foreign-text.tsx
  showAll: ({ characters }: { characters: string }) => `Show all ${characters} characters`,
  showLess: 'Show less',

  // permitted.tsx
  companySuspended: 'The company is suspended',
  roleForbids: 'Your role does not allow this',
  possibleWhenResumed: 'You can do this again once the operator resumes the company.',
  youCanAskAnAdmin: 'You can ask an admin.',

  // confirm-dialog.tsx
  typeToConfirm: ({ name }: { name: ReactNode }) => sentence`Type ${name} to confirm`,
  cancel: 'Cancel',

  // unsaved-guard.tsx
  leaveWithoutSaving: 'Leave without saving?',
  leave: 'Leave',

  // copy.tsx
  copied: ({ what }: { what: string }) => `Copied ${what}`,
  copy: ({ what }: { what: string }) => `Copy ${what}`,
  copiedAlone: 'Copied',

  // filter-chip.tsx
  removeFilter: ({ label }: { label: string }) => `Remove the filter ${label}`,

  // code-block.tsx
  copyAlone: 'Copy',

  // form-faults.ts
  fieldFaults: {
    missing: ({ label }: { label: string }) => `${label} is required.`,
    email: ({ label }: { label: string }) => `${label} must be an address such as ada@example.com.`,
    url: ({ label }: { label: string }) => `${label} must begin with https:// and name a host.`,
    other: ({ label }: { label: string }) => `${label} is not complete.`,
  },

  // summary-form.tsx
  summary: 'Summary',

  // shown-once.tsx
  copyNow: ({ what }: { what: string }) => `Copy the ${what} now. There is no way to see the ${what} again.`,
  stored: ({ what }: { what: string }) => `I have stored the ${what}`,
  closeWithout: ({ what }: { what: string }) => `Close without the ${what}?`,
  closedForGood: ({ what }: { what: string }) =>
    `Once this is closed there is no way to see the ${what} again. The ${what} ${what.endsWith('s') ? 'stay' : 'stays'} active.`,
  closeAnyway: 'Close, I do not need it',
  done: 'Done',

  // more-button.tsx
  searchFurtherBack: 'Search further back',
  showMore: 'Show more',
  nothingSoFar: 'Nothing matches so far, but older entries were not searched yet.',

  // empty-state.tsx
  orFromATerminal: 'Or from a terminal:',
  curlCommand: 'curl command',

  // no-match.tsx
  nothingMatches: 'Nothing matches these filters.',
  clearFilters: 'Clear filters',

  // no-such-page.tsx
  noSuchPage: 'No such page',
  nothingIsHere: 'Nothing has this address',
  nothingIsHereWhy: 'It may be mistyped, or belong to something that was deleted.',
  toTheOverview: 'To the overview',

  // date-time-field.tsx, calendar.tsx
  dayForm: 'yyyy-mm-dd',
  clockForm: 'hh:mm',
  inZone: ({ zone }: { zone: string }) => `In your time zone, ${zone}.`,
  timeOf: ({ label }: { label: string }) => `${label}: time of day`,
  chooseDay: ({ label }: { label: string }) => `${label}: choose the day`,
  monthBefore: 'Month before',
  monthAfter: 'Month after',

  // own-times-input.tsx
  fromYourTime: 'From (your time)',
  thisTimeAndLater: 'This time and later.',
  toYourTime: 'To (your time)',
  emptyUntilNow: 'Empty: until now.',
}
