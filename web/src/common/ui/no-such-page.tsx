import type { ReactNode } from 'react'
import { ButtonLink } from './button-link.tsx'
import { EmptyState } from './empty-state.tsx'
import { PageTitle } from './page-title.tsx'
import { texts } from './texts.ts'

/** What is not there, and why, with a way on. */
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

/** What an address without a page shows. */
export const NoSuchPage = () => (
  <div className="narrow">
    <PageTitle title={texts.noSuchPage} />
    <NothingHere title={texts.nothingIsHere}>{texts.nothingIsHereWhy}</NothingHere>
  </div>
)
