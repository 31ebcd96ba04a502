import type { ReactNode } from 'react'
import { plural } from '../common/format/numbers.ts'
import { sentence } from '../common/ui/sentence.ts'

export const texts = {
  // role-fields.tsx
  role: 'Role',
  admin: 'Admin',
  adminMeans: 'Does everything, including users and Shared keys.',
  member: 'Member',
  memberMeans: 'Reads everything, sends test events, retries deliveries, and creates Personal keys.',
  writeScopes: 'Write scopes for Personal keys',
  writeScopesMean: "A member's keys may read. These let them write as well.",

  // invite-user.tsx
  inviteUser: 'Invite user',
  invite: 'Invite',
  invitedByMail: 'They get a link by mail, where they choose their name and password.',
  invitedByLink: 'You get a link to hand over, where they choose their name and password.',
  email: 'Email',

  // use-link-made.tsx
  mailed: ({ email }: { email: string }) => `The link is on its way to ${email}.`,
  giveThisLink: 'Give them this link',
  link: 'link',
  linkMeans: ({ email }: { email: string }) =>
    `It works once, for 72 hours, and only together with ${email}. Send it in a way that only they can read.`,

  // invitation-list.tsx
  invitations: 'Invitations',
  invitedBy: 'Invited by',
  expires: 'Ends',
  expired: 'expired',
  mail: 'Mail',
  mailWaiting: 'on its way',
  mailSent: 'sent',
  mailFailed: 'not accepted by the mail server',
  noMailServer: 'no mail server is set up: hand over the link',
  notMailed: 'not mailed: hand over the link',
  actions: 'Actions',
  newLink: 'New link',
  withdraw: 'Withdraw',

  // second-factor-rule.tsx
  everybodyNeedsIt: 'Everybody needs a second factor',
  everybodyNeedsItMeans:
    'Whoever has none sets one up at the next sign-in, and can do nothing else until then. API keys keep working.',
  everybodyIsAsked: 'Everybody is asked for a second factor now.',
  nobodyIsAsked: 'A second factor is everybody’s own choice now.',

  // user-actions.tsx
  access: 'Access',
  accessMeans: 'For somebody who cannot get in, or who left.',
  lockedMeans: 'Locked after ten wrong codes.',
  password: 'Password',
  passwordMeans: 'A link lets them choose a new one.',
  membership: 'Membership',
  membershipMeans: 'Ends their sessions and revokes their Personal keys.',
  unlockSecondFactor: 'Unlock second factor',
  resetPassword: 'Reset password',
  remove: 'Remove',
  unlockTitle: 'Unlock the second factor?',
  unlock: 'Unlock',
  unlocked: 'The second factor is unlocked.',
  unlockMeans: ({ user }: { user: ReactNode }) =>
    sentence`Somebody gave ${user}’s password and ten wrong codes. Ask them first: if it was somebody else, reset the password instead.`,
  resetTitle: 'Reset the password?',
  reset: 'Reset',
  resetMeans: ({ user }: { user: ReactNode }) =>
    sentence`The password of ${user} stops working now, all their sessions end, and their second factor is switched off. They choose a new password by a link.`,
  removeTitle: 'Remove this user?',
  userRemoved: ({ revoked }: { revoked: number }) =>
    `The user is removed, and ${plural(revoked, 'key')} revoked.`,
  removeMeans:
    'Their sessions end and their Personal keys are revoked for good. Shared keys stay. Nobody can undo this.',

  // user-detail.tsx
  person: 'Person',
  personMeans: 'As the company knows them.',
  nameAndRole: 'Name and role',
  name: 'Name',
  secondFactor: 'Second factor',
  secondFactorLocked: 'locked',
  secondFactorOn: 'on',
  secondFactorOff: 'off',
  memberSince: 'Member since',
  userSaved: 'The user is saved.',
  userSavedKeysDisabled: ({ disabled }: { disabled: number }) =>
    `The user is saved. ${plural(disabled, 'key that may do more was', 'keys that may do more were')} disabled.`,
  ownRole: 'Only another admin can change your own role.',
  keysWillBeDisabled: 'Personal keys that may do more than this allows are disabled when you save.',
  save: 'Save',

  // user-list.tsx
  users: 'Users',
  change: 'Change',
  changeUser: ({ email }: { email: string }) => `Change ${email}`,
  you: '(you)',
}
