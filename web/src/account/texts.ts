import type { ReactNode } from 'react'
import { plural } from '../common/format/numbers.ts'
import { sentence } from '../common/ui/sentence.ts'

export const texts = {
  // password-form.tsx
  passwordChanged: 'Your password is changed. All other sessions of yours have ended.',
  password: 'Password',
  currentPassword: 'Current password',
  showTheCurrentPassword: 'Show the current password',
  newPassword: 'New password',
  passwordHow: 'At least 8 characters; 15 or more are better. Nothing else is asked of it.',
  showTheNewPassword: 'Show the new password',
  signedOutElsewhere: 'Everywhere else where you are signed in you will be signed out.',
  changePassword: 'Change password',

  // recovery-codes.tsx
  yourRecoveryCodes: 'Your recovery codes',
  codes: 'codes',
  codesMean: 'Each works once in place of a code of your authenticator. Former ones are void.',

  // totp-setup.tsx
  scanThis:
    'Scan this with your authenticator, or enter the secret by hand. Then enter the code that it shows.',
  qrCode: 'QR code for your authenticator',
  secret: 'secret',
  code: 'Code',
  switchOn: 'Switch on',

  // second-factor.tsx
  secondFactor: 'Second factor',
  secondFactorMeans: 'A code of your authenticator, besides the password.',
  on: 'on',
  off: 'off',
  codesLeft: ({ number }: { number: number }) => `${plural(number, 'recovery code')} left.`,
  locked: 'Locked',
  lockedBecause: ({ when }: { when: ReactNode }) =>
    sentence`Somebody gave your password and ten wrong codes, the last one ${when}. If it was not you, change your password. Codes of your authenticator are taken again once an admin unlocks them, or when you sign in with a recovery code.`,
  newRecoveryCodes: 'New recovery codes',
  switchOff: 'Switch off',
  setUp: 'Set up an authenticator',
  switchOffTitle: 'Switch the second factor off?',
  switchOffMeans: 'Then your password alone opens your account. Your recovery codes become void.',

  // own-sessions.tsx
  sessions: 'Where you are signed in',
  sessionsMean: 'End what you do not know, then change your password.',
  browser: 'Browser',
  address: 'From',
  began: 'Since',
  lastSeen: 'Last seen',
  thisOne: 'now, here',
  end: 'End',
  endAllOthers: 'End all others',

  // account.tsx
  profile: 'Profile',
  profileMeans: 'An admin can change your name and your role.',
  account: 'Account',
  name: 'Name',
  email: 'Email',
  company: 'Company',
  role: 'Role',
  thisSessionEnds: 'This session ends',
}
