import type { Permission } from '../api/wire.ts'
import * as icons from '../ui/icons.ts'
import { texts } from './texts.ts'

/** A screen that the side bar and the command palette lead to. */
export type Section = {
  readonly href: string
  readonly name: string
  readonly icon: typeof icons.IconBell
  /** The action that a user must be allowed to see the screen. */
  readonly action?: Permission
}

/** The screens that people use every day. */
export const MAIN_SECTIONS: readonly (Section & {
  /** Pressed after `g`, this key opens the screen. */
  readonly goKey: string
})[] = [
  { href: '/overview', name: texts.overview, icon: icons.IconLayoutDashboard, goKey: 'o' },
  { href: '/webhooks', name: texts.webhooks, icon: icons.IconWebhook, goKey: 'w' },
  { href: '/deliveries', name: texts.deliveries, icon: icons.IconSend, goKey: 'd' },
  { href: '/events', name: texts.events, icon: icons.IconBolt, goKey: 'e' },
  { href: '/keys', name: texts.apiKeys, icon: icons.IconKey, goKey: 'k' },
  { href: '/notices', name: texts.notices, icon: icons.IconBell, goKey: 'n' },
]

/** The screens below the heading Settings. */
export const SETTINGS_SECTIONS: readonly Section[] = [
  { href: '/channels', name: texts.channels, icon: icons.IconSpeakerphone, action: 'channels.read' },
  { href: '/users', name: texts.users, icon: icons.IconUsers, action: 'users.create' },
  { href: '/audit', name: texts.audit, icon: icons.IconHistory, action: 'audit.read' },
  { href: '/account', name: texts.account, icon: icons.IconUser },
]

export const SECTIONS: readonly Section[] = [...MAIN_SECTIONS, ...SETTINGS_SECTIONS]

/** The section that a path belongs to. */
export const sectionOf = (path: string): Section | undefined =>
  SECTIONS.find(({ href }) => path.startsWith(href))
