export const texts = {
  // filter-examples.tsx
  noEventYet: 'There is no event of these types yet to try it on.',
  matches: ({ matched, examined }: { matched: number; examined: number }) =>
    `${matched} of the last ${examined} events match.`,
  sent: 'Sent',
  notSent: 'Not sent',

  // rows.ts
  is: 'is',
  isNot: 'is not',
  isGreaterThan: 'is greater than',
  isAtLeast: 'is at least',
  isLessThan: 'is less than',
  isAtMost: 'is at most',
  isOneOf: 'is one of',
  isNoneOf: 'is none of',
  isThere: 'is there',
  matchesPattern: 'matches',

  // filter-rows.tsx
  anyAcme: 'for example (?i)acme',
  wonLost: 'for example won, lost',
  matchesWhen: 'An event matches when',
  allHold: 'all conditions hold',
  anyHolds: 'any condition holds',
  condition: ({ number }: { number: number }) => `Condition ${number}`,
  field: ({ number }: { number: number }) => `Field ${number}`,
  comparison: ({ number }: { number: number }) => `Comparison ${number}`,
  value: ({ number }: { number: number }) => `Value ${number}`,
  removeCondition: ({ number }: { number: number }) => `Remove condition ${number}`,
  remove: 'Remove',
  yes: 'yes',
  no: 'no',
  addCondition: 'Add condition',

  // filter-fields.tsx
  filterOptional: 'Filter (optional)',
  onlyMatching: 'Only events that match are sent. Without a filter all are.',
  rowsCannotShow: 'Rows cannot show this filter, so it is here as JSON.',
  editAsJson: 'Edit as JSON',
  editInRows: 'Edit in rows',
  filterAsJson: 'Filter as JSON',
  jsonForm: 'In the query form of MongoDB. Empty for no filter.',
}
