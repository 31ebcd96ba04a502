import { ButtonLink } from './button-link.tsx'
import { EmptyState } from './empty-state.tsx'
import { PageTitle } from './page-title.tsx'
import { texts } from './texts.ts'

/** What an address without a page shows, with a way on. */
export const NoSuchPage = () => (
  <div className="narrow">
    <PageTitle title={texts.noSuchPage} />
    <EmptyState
      title={texts.nothingIsHere}
      action={
        <ButtonLink href="/overview" variant="filled">
          {texts.toTheOverview}
        </ButtonLink>
      }
    >
      {texts.nothingIsHereWhy}
    </EmptyState>
  </div>
)
