import { createContext, use } from 'react'
import { createPortal } from 'react-dom'
import { Link, useLocation } from 'wouter'
import { useSession } from '../session/context.ts'
import { Brand } from './brand.tsx'
import { sectionOf } from './sections.ts'
import { texts } from './texts.ts'

const SlotContext = createContext<HTMLElement | null>(null)

/** Tells a page's title where in the bar to show its path. */
export const CrumbSlotProvider = SlotContext.Provider

/**
 * The path back from a page to its section, in the bar above the page. On the page of a section it is the company's name,
 * which a phone shows nowhere else.
 */
export function Crumbs({ title }: { title: string }) {
  const slot = use(SlotContext)
  const [path] = useLocation()
  const { permissions, company } = useSession()
  const section = sectionOf(path)
  const maySee = section?.action === undefined || permissions.includes(section.action)
  if (!slot) return null
  return createPortal(
    <nav className="crumbs" aria-label={texts.breadcrumb}>
      {section && maySee && path !== section.href ? (
        <Link href={section.href}>{section.name}</Link>
      ) : (
        <Brand company={company.name} />
      )}
      <bdi className="visually-hidden" aria-current="page">
        {title}
      </bdi>
    </nav>,
    slot,
  )
}
