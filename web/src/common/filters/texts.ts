import type { ReactNode } from 'react'
import { count } from '../format/numbers.ts'
import { sentence } from '../ui/sentence.ts'

export const texts = {
  // filter-bar-start.tsx
  search: 'Search',
  searchExample: 'E-mail, text, URL, record or id',

  // list-end.tsx
  lookedAt: ({ examined, from }: { examined: number; from: ReactNode }) =>
    sentence`Looked through ${count(examined)}, back to ${from}.`,
  lookedAtAll: ({ examined }: { examined: number }) => `Looked through ${count(examined)}: all that is kept.`,
  lookFurtherBack: 'Look further back',

  // saved-filters.tsx
  savedFilters: 'Saved filters',
  none: 'None yet: set filters, then save them here.',
  saveThese: 'Save these filters…',
  renameOrDelete: 'Rename or delete…',

  // save-dialog.tsx, manage-dialog.tsx
  saveTitle: 'Save these filters',
  manageTitle: 'Saved filters',
  name: 'Name',
  nameOf: ({ name }: { name: string }) => `Name of “${name}”`,
  save: 'Save',
  rename: 'Rename',
  renameThis: ({ name }: { name: string }) => `Rename “${name}”`,
  remove: 'Delete',
  removeThis: ({ name }: { name: string }) => `Delete “${name}”`,
  close: 'Close',
}
