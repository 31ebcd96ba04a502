import type { ReactNode } from 'react'
import { plural } from '../common/format/numbers.ts'
import { sentence } from '../common/ui/sentence.ts'

export const texts = {
  // role-fields.tsx
  role: 'Role',
  admin: 'Admin',
  adminMeans: 'Does everything, also users and Shared keys.',
  member: 'Member',
  memberMeans: 'Reads everything, sends test events, retries deliveries, and creates Personal keys.',
  writeScopes: 'Write scopes for Personal keys',
  writeScopesMean: "A member's keys may read. These let them write as well.",

  // create-user.tsx
  userAdded: 'The user is added. Tell them the password by a safe way.',
  addUser: 'Add user',
  name: 'Name',
  email: 'Email',
  firstPassword: 'First password',
  firstPasswordHow: 'At least 8 characters; 15 or more are better. They can change it under Account.',
  showThePassword: 'Show the password',
  cancel: 'Cancel',

  // user-actions.tsx
  unlockSecondFactor: 'Unlock second factor',
  resetPassword: 'Reset password',
  remove: 'Remove',
  unlockTitle: 'Unlock the second factor?',
  unlock: 'Unlock',
  unlocked: 'The second factor is unlocked.',
  unlockMeans: ({ user }: { user: ReactNode }) =>
    sentence`Somebody gave ${user}’s password and ten wrong codes. Ask them first: if it was somebody else, reset the password instead.`,
  setANewPassword: 'Set a new password',
  setPassword: 'Set password',
  thePasswordIsSet: 'The password is set.',
  resetMeans: ({ user }: { user: ReactNode }) =>
    sentence`All sessions of ${user} end, and their second factor is switched off. Tell them the password by a safe way.`,
  newPassword: 'New password',
  passwordHow: 'At least 8 characters; 15 or more are better.',
  removeTitle: 'Remove this user?',
  userRemoved: ({ revoked }: { revoked: number }) =>
    `The user is removed, and ${plural(revoked, 'key')} revoked.`,
  removeMeans:
    'Their sessions end and their Personal keys are revoked for good. Shared keys stay. Nobody can undo this.',

  // user-detail.tsx
  secondFactor: 'Second factor',
  secondFactorLocked: 'locked',
  secondFactorOn: 'on',
  secondFactorOff: 'off',
  memberSince: 'Member since',
  userSaved: 'The user is saved.',
  userSavedKeysDisabled: ({ disabled }: { disabled: number }) =>
    `The user is saved. ${plural(disabled, 'key that may do more was', 'keys that may do more were')} disabled.`,
  ownRole: 'Your own role only another admin can change.',
  keysWillBeDisabled: 'Personal keys that may do more than this allows are disabled when you save.',
  save: 'Save',

  // user-list.tsx
  users: 'Users',
  you: '(you)',
}
