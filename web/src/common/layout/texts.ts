import { plural } from '../format/numbers.ts'

const atMost99 = ({ number }: { number: number }) => (number > 99 ? '99+' : String(number))

export const texts = {
  // sections.ts
  overview: 'Overview',
  webhooks: 'Webhooks',
  deliveries: 'Deliveries',
  events: 'Events',
  apiKeys: 'API keys',
  notices: 'Notices',
  channels: 'Notice channels',
  users: 'Users',
  audit: 'Audit',
  account: 'Account',

  // crumbs.tsx
  breadcrumb: 'Breadcrumb',

  // environment-switch.tsx
  live: 'Live',
  sandbox: 'Sandbox',
  environment: 'Environment',

  // navigation.tsx
  screens: 'Screens',
  settings: 'Settings',
  unwell: ({ webhooks }: { webhooks: number }) => `${plural(webhooks, 'webhook')} failing or deactivated`,
  openNotices: ({ notices }: { notices: number }) =>
    `${atMost99({ number: notices })} open ${notices === 1 ? 'notice' : 'notices'}`,
  atMost99,

  // user-menu.tsx
  menuOf: 'Menu of',
  darkScheme: 'Dark theme',
  lightScheme: 'Light theme',
  signOut: 'Sign out',

  // brand.tsx
  salesDataWebhooks: 'Sales data webhooks',

  // front-page.tsx
  promise: 'Every event arrives, or you know why not.',
  howItIsKept: 'Signed, retried, and accounted for: each attempt with its time, its response and what to do.',

  // shell.tsx
  skipToTheContent: 'Skip to the content',
  menu: 'Menu',
  closeTheMenu: 'Close the menu',
  sandboxStripe: 'SANDBOX: nothing here touches your live keys and webhooks',
  suspendedStripe: 'SUSPENDED: API keys are refused, deliveries wait, and you can change almost nothing',
  openTheMenu: 'Open the menu',

  // connection-banner.tsx
  noConnection: 'No connection to the service. What you typed is kept; the console keeps trying.',
  tryNow: 'Try now',
}
