import { createContext, use } from 'react'
import { createPortal } from 'react-dom'
import { Link, useLocation } from 'wouter'
import { useSession } from '../session/context.ts'
import { sectionOf } from './sections.ts'
import { texts } from './texts.ts'

const SlotContext = createContext<HTMLElement | null>(null)

/** Gives the title of a page the place in the bar where its path is shown. */
export const CrumbSlotProvider = SlotContext.Provider

/** The path to a page, in the bar above it: its section, and the page itself where it is another one. */
export function Crumbs({ title }: { title: string }) {
  const slot = use(SlotContext)
  const [path] = useLocation()
  const { permissions } = useSession()
  const section = sectionOf(path)
  const maySee = section?.action === undefined || permissions.includes(section.action)
  if (!slot) return null
  return createPortal(
    <nav className="crumbs" aria-label={texts.breadcrumb}>
      {section && maySee && path !== section.href && <Link href={section.href}>{section.name}</Link>}
      <bdi aria-current="page">{title}</bdi>
    </nav>,
    slot,
  )
}
