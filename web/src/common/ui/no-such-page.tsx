import type { ReactNode } from 'react'
import { ButtonLink } from './button-link.tsx'
import { EmptyState } from './empty-state.tsx'
import { PageTitle } from './page-title.tsx'
import { texts } from './texts.ts'

/** Says that an object does not exist and why, with a link to go on. */
export const NothingHere = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) => (
  <EmptyState
    title={title}
    action={
      <ButtonLink href="/overview" variant="filled">
        {texts.toTheOverview}
      </ButtonLink>
    }
  >
    {children}
  </EmptyState>
)

/** The page for an address that leads nowhere. */
export const NoSuchPage = () => (
  <div className="narrow">
    <PageTitle title={texts.noSuchPage} />
    <NothingHere title={texts.nothingIsHere}>{texts.nothingIsHereWhy}</NothingHere>
  </div>
)
