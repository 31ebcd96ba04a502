import type { ReactNode } from 'react'
import { sentence } from '../common/ui/sentence.ts'

export const texts = {
  // sign-in-form.tsx
  showThePassword: 'Show the password',
  email: 'Email',
  password: 'Password',
  whichCompany: 'Which company?',
  signIn: 'Sign in',
  codeOfYourAuthenticator: 'Code of your authenticator',
  codeHow: 'Six digits. One of your recovery codes works as well, once.',

  // prompts.tsx
  youWereSignedOut: 'You were signed out',
  confirmThatItIsYou: 'Confirm that it is you',
  close: 'Close',
  goOn: 'Sign in to go on where you were. Nothing that you typed is lost.',
  leavePage: 'Leave this page and sign in as somebody else',
  whyPassword:
    'Keys and secrets give access to your data. After your password you are not asked again for ten minutes.',
  continue: 'Continue',

  // sign-in.tsx
  tabTitle: 'Sign in · Console',
  tagline: 'API keys and webhooks of your sales data',
  forgot: 'Forgot your password? An admin of your company can send you a link for a new one.',

  // second-factor-first.tsx
  oneStepMore: 'One step more',
  companyAsks: ({ company }: { company: ReactNode }) =>
    sentence`${company} asks everybody for a second factor. Set up an authenticator app, such as that of your phone; then you can go on.`,
  signOut: 'Sign out',
}
