import type { Permission } from '../api/wire.ts'
import * as icons from '../ui/icons.ts'

/** A screen that the side bar and the command palette lead to. */
export type Section = {
  readonly href: string
  readonly name: string
  readonly icon: typeof icons.IconBell
  /** Only for those who may do this. */
  readonly action?: Permission
}

/** What people come for every day. */
export const MAIN_SECTIONS: readonly (Section & {
  /** Typed after `g`, leads there. */
  readonly goKey: string
})[] = [
  { href: '/overview', name: 'Overview', icon: icons.IconLayoutDashboard, goKey: 'o' },
  { href: '/webhooks', name: 'Webhooks', icon: icons.IconWebhook, goKey: 'w' },
  { href: '/deliveries', name: 'Deliveries', icon: icons.IconSend, goKey: 'd' },
  { href: '/events', name: 'Events', icon: icons.IconBolt, goKey: 'e' },
  { href: '/keys', name: 'API keys', icon: icons.IconKey, goKey: 'k' },
]

/** Below the heading Settings. */
export const SETTINGS_SECTIONS: readonly Section[] = [
  { href: '/notices', name: 'Notices', icon: icons.IconBell },
  { href: '/users', name: 'Users', icon: icons.IconUsers, action: 'users.create' },
  { href: '/audit', name: 'Audit', icon: icons.IconHistory, action: 'audit.read' },
  { href: '/account', name: 'Account', icon: icons.IconUser },
]

export const SECTIONS: readonly Section[] = [...MAIN_SECTIONS, ...SETTINGS_SECTIONS]

/** The section that a path belongs to. */
export const sectionOf = (path: string): Section | undefined =>
  SECTIONS.find(({ href }) => path.startsWith(href))
