import { Link, useLocation } from 'wouter'
import type { Attention } from '../api/wire.ts'
import { useSession } from '../session/context.ts'
import { useOne } from '../session/queries.ts'
import { MAIN_SECTIONS, SETTINGS_SECTIONS, type Section } from './sections.ts'
import { texts } from './texts.ts'

/** How often the side bar reads the counts of webhooks and notices that need attention. */
const READ_EVERY_MS = 60_000

/** Links to the screens that the user's role may open. @param onGo called after a click, so that a drawer closes */
export function Navigation({ onGo }: { onGo?: () => void }) {
  const { permissions } = useSession()
  const attention = useOne<Attention>('/attention', { everyMs: READ_EVERY_MS })
  const { unwell = 0, open_notices: openNotices = 0 } = attention.data?.item ?? {}
  const counts: Readonly<Record<string, Count>> = {
    '/webhooks': { number: unwell, words: texts.unwell({ webhooks: unwell }) },
    '/notices': { number: openNotices, words: texts.openNotices({ notices: openNotices }) },
  }
  const may = ({ action }: Section) => action === undefined || permissions.includes(action)
  const link = (section: Section) => (
    <NavLink key={section.href} section={section} count={counts[section.href]} {...(onGo && { onGo })} />
  )
  return (
    <nav className="side-nav" aria-label={texts.screens}>
      <ul>{MAIN_SECTIONS.map(link)}</ul>
      <p className="side-heading">{texts.settings}</p>
      <ul>{SETTINGS_SECTIONS.filter(may).map(link)}</ul>
    </nav>
  )
}

/** How many items need attention, as a number and in words. */
type Count = { readonly number: number; readonly words: string }

type NavLinkProps = {
  readonly section: Section
  readonly count: Count | undefined
  readonly onGo?: () => void
}

function NavLink({ section: { href, name, icon: Icon }, count, onGo }: NavLinkProps) {
  const [path] = useLocation()
  return (
    <li>
      <Link href={href} aria-current={path.startsWith(href) ? 'page' : undefined} onClick={onGo}>
        <Icon size={16} stroke={1.75} aria-hidden />
        <span>{name}</span>
        {count !== undefined && count.number > 0 && (
          <>
            <span className="side-count" title={count.words} aria-hidden="true">
              {texts.atMost99({ number: count.number })}
            </span>
            <span className="visually-hidden"> {count.words}</span>
          </>
        )}
      </Link>
    </li>
  )
}
